import { harmlessly, unsteered } from '../base/text/describe.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Logger } from './connection-options.js';

/**
 * Lines on the console begin with this name, because many packages write to the console. Messages for the user's own
 * logger do not begin with it, because that logger can add the name.
 */
const SENDER = '[openfeature-flipt-provider]';

const none = () => undefined;
const toConsole =
  (level: 'error' | 'warn') =>
  (...args: unknown[]) => {
    console[level](SENDER, ...args);
  };
const consoleLogger: Logger = { error: toConsole('error'), warn: toConsole('warn'), info: none, debug: none };

/**
 * Wraps a logger. Errors that the logger throws are ignored, so that callers still get their answers. The logger is
 * called outside the async context of any request, because a message can concern all requests. Each message stays one
 * line and cannot steer a terminal, whatever text a part of the package has put into it. Default: warnings and errors
 * go to the console.
 */
export function safeLogger(logger: Logger = consoleLogger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      // `harmlessly` also handles a promise, because an async method fits the type `() => void`. An error that the
      // logger throws is dropped, because nothing is left that could log it.
      harmlessly(() => {
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const words = args.map((word) => (typeof word === 'string' ? unsteered(word) : word));
        return outsideRequests(() => log(...words));
      });
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}

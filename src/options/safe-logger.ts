import { harmlessly, unsteered } from '../base/text/describe.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Logger } from './connection-options.js';

/**
 * Lines on the console begin with this name, because many packages write to the console. Messages for the user's own
 * logger do not begin with this name, because that logger can add the name itself.
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
 * Wraps a logger. The wrapper ignores errors that the logger throws, so that callers still get their answers. The
 * wrapper calls the logger outside of the async context of any request, because a message can concern all requests. The
 * wrapper escapes line breaks and control characters in messages, so that a message stays one line and cannot steer a
 * terminal. Default: a logger that writes warnings and errors to the console.
 */
export function safeLogger(logger: Logger = consoleLogger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      // The logger's methods can be async, so `harmlessly` also catches a rejected promise. An error of the logger is
      // ignored, because no other logger could report the error.
      harmlessly(() => {
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const words = args.map((word) => (typeof word === 'string' ? unsteered(word) : word));
        return outsideRequests(() => log(...words));
      });
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}

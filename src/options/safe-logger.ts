import { harmlessly, unsteered } from '../base/text/describe.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Logger } from './connection-options.js';

/**
 * Lines on the console begin with this name, because many packages write there. A user's logger can say by itself who
 * logs.
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
 * Wraps a logger. What the logger throws is ignored, so that callers still get their answers. It logs outside any
 * request, because what is logged may concern all of them. Whatever a layer puts into a message, the message stays one
 * line and does not steer a terminal. Default: warnings and errors go to the console.
 */
export function safeLogger(logger: Logger = consoleLogger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      // `harmlessly` also handles a promise, because an async method fits the type `() => void`. What the logger throws
      // cannot be logged.
      harmlessly(() => {
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const words = args.map((word) => (typeof word === 'string' ? unsteered(word) : word));
        return outsideRequests(() => log(...words));
      });
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}

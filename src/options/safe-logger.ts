import { harmlessly, unsteered } from '../base/text/describe.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Logger } from './connection-options.js';

/** A console has lines of many. A logger of the user's can say by itself who logs. */
const SENDER = '[openfeature-flipt-provider]';

const none = () => undefined;
const toConsole =
  (level: 'error' | 'warn') =>
  (...args: unknown[]) => {
    console[level](SENDER, ...args);
  };
const consoleLogger: Logger = { error: toConsole('error'), warn: toConsole('warn'), info: none, debug: none };

/**
 * Ignores errors that a logger throws, so that callers still get their answers. Logs outside any request, because what
 * is logged may serve all of them. Whatever a layer puts into a message, it stays one line, and does not steer a
 * terminal. Default: warnings and errors to the console.
 */
export function safeLogger(logger: Logger = consoleLogger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      // An async method is a `() => void`, too. What a logger throws cannot be logged.
      harmlessly(() => {
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const words = args.map((word) => (typeof word === 'string' ? unsteered(word) : word));
        return outsideRequests(() => log(...words));
      });
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}

import { harmlessly, unsteered } from '../base/text/describe.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Logger } from './connection-options.js';

/** Many packages write to the console; a logger of the app adds a name itself. */
const SENDER = '[openfeature-flipt-provider]';

const none = () => undefined;
const toConsole =
  (level: 'error' | 'warn') =>
  (...args: unknown[]) => {
    console[level](SENDER, ...args);
  };
const consoleLogger: Logger = { error: toConsole('error'), warn: toConsole('warn'), info: none, debug: none };

/** Each message stays on one line, and is logged outside of the request in which it happens to arise. */
export function safeLogger(logger: Logger = consoleLogger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      harmlessly(() => {
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const words = args.map((word) => (typeof word === 'string' ? unsteered(word) : word));
        return outsideRequests(() => log(...words));
      });
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}

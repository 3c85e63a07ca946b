import { setInterval as every } from 'node:timers';
import { systemClock } from '../../src/base/time/clock.js';
import {
  answerItem,
  askedItems,
  goodBody,
  reply,
  well,
  type Behaviour,
  type RawServer,
} from './raw-server.fixture.js';

/** A fault between the provider and the service. */
export interface Fault {
  readonly name: string;
  readonly begin: (server: RawServer) => unknown;
  /** Ends the fault. Default: the server behaves well again. */
  readonly end?: (server: RawServer) => unknown;
  /** A pattern for the message that a caller without a known answer gets. */
  readonly message: RegExp;
  /**
   * What the fault means for the circuit breaker.
   *
   * - `outage`: it opens the circuit breaker.
   * - `answers`: the service is there, so the breaker stays closed.
   * - `none`: it is no failure at all.
   */
  readonly counts: 'outage' | 'answers' | 'none';
  /** Whether the fault lasts until a time-out ends the request. */
  readonly timesOut?: boolean;
}

const behaving = (
  name: string,
  behave: Behaviour,
  message: RegExp,
  counts: Fault['counts'] = 'outage',
): Fault => ({
  name,
  begin: (server) => {
    server.behave = behave;
  },
  message,
  counts,
  timesOut: message === TIMEOUT,
});

const replying = (
  name: string,
  status: string,
  message: RegExp,
  headers: readonly string[],
  body: string,
  counts?: Fault['counts'],
) => behaving(name, (socket) => socket.write(reply(status, body, headers)), message, counts);

const HTML = ['content-type: text/html'];
const PAGE = '<html><body>Bad Gateway</body></html>';
const UNREADABLE = /an unreadable response/;
const CONNECTION = /^the request to Flipt at \S+ failed: /;
/**
 * This matches the message about the request's time-out, or about the deadline of a resolve that joined the request.
 */
const TIMEOUT = /did not answer within|no answer from Flipt within|more than 16 MB/;
const halfOf = (text: string) => text.slice(0, text.length / 2);

/** Returns an HTTP date, which has whole seconds. */
const httpDateIn = (ms: number) => new Date(systemClock.date() + ms).toUTCString();

export const faults: readonly Fault[] = [
  {
    name: 'connection refused',
    begin: (server) => server.stop(),
    end: (server) => server.start(),
    message: CONNECTION,
    counts: 'outage',
  },
  {
    name: 'reset on connecting',
    begin: (server) => {
      server.behave = (socket) => socket.resetAndDestroy();
      server.welcome = (socket) => socket.resetAndDestroy();
    },
    end: (server) => {
      server.behave = well;
      server.welcome = () => undefined;
    },
    message: CONNECTION,
    counts: 'outage',
  },
  behaving('reset before the headers', (socket) => socket.resetAndDestroy(), CONNECTION),
  behaving(
    'reset in the headers',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-ty', () => socket.resetAndDestroy()),
    CONNECTION,
  ),
  behaving(
    'reset after the headers',
    (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', () => socket.resetAndDestroy()),
    CONNECTION,
  ),
  behaving(
    'reset in mid-body',
    (socket, request) =>
      socket.write(halfOf(reply('200 OK', goodBody(request))), () => socket.resetAndDestroy()),
    CONNECTION,
  ),
  behaving('accepted and silent', () => undefined, TIMEOUT),
  behaving(
    'one byte at a time',
    (socket, request) => {
      const bytes = reply('200 OK', goodBody(request));
      let sent = 0;
      const timer = every(() => {
        if (socket.destroyed) clearInterval(timer);
        else socket.write(bytes.charAt(sent++));
      }, 10);
    },
    TIMEOUT,
  ),
  behaving(
    'body cut short by an orderly end',
    (socket, request) => socket.end(halfOf(reply('200 OK', goodBody(request)))),
    CONNECTION,
  ),
  behaving(
    'endless body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const timer = every(() => {
        if (socket.destroyed) clearInterval(timer);
        else if (socket.writableLength < 1_000_000) socket.write(chunk);
      }, 1);
    },
    TIMEOUT,
  ),
  behaving(
    'a Content-Length that is too small',
    (socket, request) => {
      const body = goodBody(request);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n${body}`);
    },
    UNREADABLE,
    'answers',
  ),
  behaving(
    'a Content-Length that is too large',
    (socket, request) => {
      const body = goodBody(request);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length + 10}\r\n\r\n${body}`);
    },
    TIMEOUT,
  ),
  behaving(
    'garbage instead of HTTP',
    (socket) => socket.write('\u0000\u0001 SSH-2.0 hello\r\n\r\n'),
    CONNECTION,
  ),
  behaving(
    'an answer in HTTP/1.0',
    (socket, request) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${goodBody(request)}`),
    /^$/,
    'none',
  ),
  behaving(
    'chunked nonsense',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
    CONNECTION,
  ),
  replying('HTML with 200', '200 OK', UNREADABLE, HTML, PAGE, 'answers'),
  replying('HTML with 502', '502 Bad Gateway', /answered 502 with text\/html/, HTML, PAGE),
  replying('HTML with 503', '503 Service Unavailable', /answered 503 with text\/html/, HTML, PAGE),
  replying('408', '408 Request Timeout', /answered 408/, [], ''),
  replying(
    '429 with Retry-After in seconds',
    '429 Too Many Requests',
    /answered 429/,
    ['retry-after: 10'],
    '',
  ),
  behaving(
    '429 with Retry-After as a date',
    (socket) => socket.write(reply('429 Too Many Requests', '', [`retry-after: ${httpDateIn(10_000)}`])),
    /answered 429/,
  ),
  replying(
    'a redirect',
    '302 Found',
    /302, a redirect to \S+, which is not followed/,
    ['location: /elsewhere'],
    '',
    'answers',
  ),
  replying('404 for everything', '404 Not Found', /answered 404/, HTML, '<h1>Not here</h1>', 'answers'),
  behaving(
    'an item too few',
    (socket, request) => {
      const responses = askedItems(request).slice(1).map(answerItem);
      socket.write(reply('200 OK', JSON.stringify({ responses })));
    },
    /\d+ items for a batch of \d+/,
    'answers',
  ),
  behaving(
    'an item too many',
    (socket, request) => {
      const responses = [{ flagKey: 'other', entityId: 'other' }, ...askedItems(request)].map(answerItem);
      socket.write(reply('200 OK', JSON.stringify({ responses })));
    },
    /\d+ items for a batch of \d+/,
    'answers',
  ),
];

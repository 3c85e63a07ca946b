import { request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { eventually } from '../../../eventually.fixture.js';

/** A browser's event stream. */
export interface Events {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Returns the ids of the events so far. */
  readonly ids: () => readonly string[];
  /** Returns everything that came. */
  readonly text: () => string;
  readonly hasEnded: () => boolean;
  /** Resolves when this many events have come. */
  readonly count: (events: number) => Promise<void>;
  readonly leave: () => void;
}

/** The header that browsers send for a page of the app, over https or to this machine. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/**
 * Opens the stream of a host, as a browser does for a page of the app. It sends any headers, also those that `fetch`
 * would not send.
 */
export async function follow(
  address: string,
  headers: Readonly<Record<string, string>> = {},
  page: Readonly<Record<string, string>> = OWN_PAGE,
): Promise<Events> {
  const [request, response] = await sent(address, { 'x-user': 'ada', ...page, ...headers });
  let text = '';
  let hasEnded = false;
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    hasEnded = true;
  });
  const ids = () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
  onTestFinished(() => void request.destroy());
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    ids,
    text: () => text,
    hasEnded: () => hasEnded,
    count: (events) => eventually(() => ids().length >= events),
    leave: () => void request.destroy(),
  };
}

function sent(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<[ClientRequest, IncomingMessage]> {
  return new Promise((resolve, reject) => {
    const request = send(address, { headers, agent: false }, (response) => {
      resolve([request, response]);
    });
    request.on('error', reject);
    request.end();
  });
}

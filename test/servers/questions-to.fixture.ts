import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

/**
 * Counts the questions that a service in this process gets from now on. Polls for changes do not count, because they
 * come at any time.
 */
export function questionsTo({ url }: { readonly url: string }): () => number {
  const port = Number(new URL(url).port);
  let questions = 0;
  const started = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.method === 'POST' && request.socket.localPort === port) questions++;
  };
  subscribe('http.server.request.start', started);
  onTestFinished(() => {
    unsubscribe('http.server.request.start', started);
  });
  return () => questions;
}

import type { Failure } from '../model.js';
import { oneLine } from './message.js';

/** The words for what went wrong before a whole answer had come. */
export function connectionFailure(url: string, error: unknown): Failure {
  return { kind: 'connection', message: `Flipt at ${url} could not be asked: ${networkWords(error)}` };
}

export function timeoutFailure(url: string, timeoutMs: number): Failure {
  return {
    kind: 'timeout',
    message: `Flipt at ${url} did not answer within ${timeoutMs} ms (http.timeoutMs)`,
  };
}

export function tooLarge(url: string): Failure {
  return { kind: 'unreadable', message: `Flipt at ${url} answered with more than 16 MB, which is refused` };
}

function networkWords(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return networkWords(error.errors[0]);
  if (!(error instanceof Error)) return oneLine(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const message = oneLine(error.message);
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}

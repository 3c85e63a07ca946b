import type { Failure } from '../model/failure.js';
import { quoted } from '../text/describe.js';

export const NO_FLAG_KEY: Failure = { kind: 'flag-key', message: 'the flag key is not a string' };

export function nameOf(flagKey: string): string {
  return isText(flagKey) ? quoted(flagKey) : 'a flag';
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

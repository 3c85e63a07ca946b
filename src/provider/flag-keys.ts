import { quoted } from '../text/quote.js';

export function nameOf(flagKey: string): string {
  return isText(flagKey) ? quoted(flagKey) : 'a flag';
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function checkFlagKeys(method: string, flagKeys: unknown): void {
  if (Array.isArray(flagKeys) && flagKeys.every(isText)) return;
  throw new TypeError(`${method}: expected a list of flag keys`);
}

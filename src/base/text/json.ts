import { unlessItThrows } from './describe.js';

/** `undefined` if it is not JSON. */
export function parsedJson(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  return unlessItThrows((): unknown => JSON.parse(text, revive));
}

/** `undefined` if it cannot be written, for example because it is nested too deep. */
export function writtenJson(value: unknown): string | undefined {
  return unlessItThrows(() => JSON.stringify(value));
}

/** Two bytes of text can need 50 bytes of memory, and parsing very many values blocks the event loop. */
export function hasMoreValues(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x2c || code === 0x5b || code === 0x7b) {
      if (++values > limit) return true;
    }
  }
  return false;
}

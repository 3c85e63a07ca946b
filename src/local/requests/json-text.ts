import { endOfString } from './json-tokens.js';

/** JSON text without the white space between its tokens; otherwise as it was written. Expects valid JSON. */
export function compactJson(json: string): string {
  return mapBetweenStrings(json, (text) => text.replace(/[ \t\r\n]+/g, ''));
}

function mapBetweenStrings(json: string, map: (text: string) => string): string {
  let mapped = '';
  let position = 0;
  while (position < json.length) {
    const start = json.indexOf('"', position);
    if (start < 0) return mapped + map(json.slice(position));
    const end = endOfString(json, start);
    mapped += map(json.slice(position, start)) + json.slice(start, end);
    position = end;
  }
  return mapped;
}

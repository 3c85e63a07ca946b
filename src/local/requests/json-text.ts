/** JSON text without the white space between its tokens; otherwise as it was written. Expects valid JSON. */
export function compactJson(json: string): string {
  return mapBetweenStrings(json, (text) => text.replace(/[ \t\r\n]+/g, ''));
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/**
 * JSON text in which each number written with a fraction or an exponent has become 0.5. The service takes `100` for
 * an integer and neither `100.0` nor `1e2`; `JSON.parse` makes no difference. Expects valid JSON.
 */
export function withoutRoundFractions(json: string): string {
  return mapBetweenStrings(json, (text) =>
    text.replace(NUMBER, (number) => (/[.eE]/.test(number) ? '0.5' : number)),
  );
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

function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Where a document begins and ends in a text. */
export type Extent = readonly [start: number, end: number];

/**
 * The documents of a text that has one JSON object after another, as Flipt's JSON export of several namespaces;
 * `undefined` for any other text. Comment lines may stand before the first. Strings and brackets are looked at, nothing
 * else: a parser checks the rest.
 */
export function jsonDocuments(text: string): readonly Extent[] | undefined {
  const documents: Extent[] = [];
  let start = /^\uFEFF?(?:\s|#.*)*/.exec(text)?.[0].length ?? 0;
  while (text[start] === '{') {
    const end = endOfObject(text, start);
    if (end === undefined) return undefined;
    documents.push([start, end]);
    SPACE.lastIndex = end;
    SPACE.test(text);
    start = SPACE.lastIndex;
  }
  return documents.length > 1 && start === text.length ? documents : undefined;
}

const SPACE = /\s*/y;
/**
 * A text without its closing quote counts to its end: looking again from each of its quotes would take the square of
 * its length.
 */
const PART = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gs;

function endOfObject(text: string, start: number): number | undefined {
  PART.lastIndex = start;
  let depth = 0;
  for (let part = PART.exec(text); part; part = PART.exec(text)) {
    if (part[0] === '{' || part[0] === '[') depth++;
    else if (part[0] === '}' || part[0] === ']') depth--;
    if (depth === 0) return PART.lastIndex;
  }
  return undefined;
}

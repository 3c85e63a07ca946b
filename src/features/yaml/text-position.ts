import { isAlias, isMap, isNode, isScalar, isSeq, type Document, type LineCounter } from 'yaml';
import type { DocumentPath } from '../features-error.js';

/** Where a YAML text has the part at a path. If that part is missing, where the part around it is. */
export function textPosition(document: Document, path: DocumentPath, lines: Pick<LineCounter, 'linePos'>) {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of path) {
    const step = partOf(isAlias(node) ? node.resolve(document) : node, part);
    if (step === undefined) break;
    node = step.value;
    offset = startOf(step.begins) ?? offset;
  }
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** A part, and the node whose position is shown: for a member of a mapping, its key. */
function partOf(node: unknown, part: string | number) {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    return pair && { value: pair.value, begins: pair.key };
  }
  if (!isSeq(node) || typeof part !== 'number') return undefined;
  const item: unknown = node.items[part];
  return item === undefined ? undefined : { value: item, begins: item };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

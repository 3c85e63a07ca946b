import type { UnreadableFlag } from '../../model/unreadable-flag.js';

/** What evaluation does not depend on. v2 makes new ids and times for each body. */
const WITHOUT_EFFECT = /^(?:name|description|id|\w+(?:Id|At))$/;
/** v1 lists segments in another order in each body; the order of constraints never matters. */
const WITHOUT_ORDER: ReadonlySet<string> = new Set(['segments', 'constraints']);

/** A flag that cannot be read, for a later version of this package that may read it. `text` is valid JSON. */
export function unreadableFlag(text: string, reason: string): UnreadableFlag {
  // Strings hold no line breaks. A store keeps a snapshot in one line.
  return { reason, text: text.replace(/[\r\n]/g, ' ') };
}

/** The same text for two flags between which nothing has changed that may matter. */
export function unreadableContent(json: unknown, text: string): string {
  try {
    return `unreadable ${canonical(json, '')}`;
  } catch {
    // Nested too deep for a function that calls itself.
    return `unreadable ${text}`;
  }
}

function canonical(value: unknown, name: string): string {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => canonical(item, ''));
    return `[${(WITHOUT_ORDER.has(name) ? items.sort() : items).join()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([member]) => !WITHOUT_EFFECT.test(member))
    .map(([member, content]) => `${JSON.stringify(member)}:${canonical(content, member)}`);
  return `{${members.sort().join()}}`;
}

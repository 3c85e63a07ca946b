import type { Steps } from '../../time/pausable-steps.js';
import { bodyBudget, checkRest } from './body-limits.js';
import { InvalidBody } from './invalid-body.js';
import { CLOSE_LIST, COLON, COMMA, expectByte, OPEN_LIST, OPEN_OBJECT, QUOTE, scanner } from './scan-json.js';

const FLAGS = '"flags"';

/** The kinds of values, by the character that they begin with. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['"', 'a string'],
  ['[', 'a list'],
  ['n', 'null'],
  ['t', 'a boolean'],
  ['f', 'a boolean'],
  ...Array.from('-0123456789', (first) => [first, 'a number'] as const),
]);

export interface SplitBody {
  /** Where each flag begins and ends, in bytes: two numbers a flag, because there may be many. */
  readonly bounds: readonly number[];
  /** The text of the rest, with an empty list of flags. */
  readonly rest: string;
}

/**
 * Cuts a body between its flags, in steps of half a megabyte, so that megabytes are not parsed all at once. A body that
 * would cost too much is refused at the first place that shows it. Otherwise the flags are not checked: `JSON.parse`
 * does that later.
 */
export function* splitBody(body: Buffer): Steps<SplitBody> {
  const scan = scanner(body);
  let at = scan.skipSpace(expectByte(body, scan.skipSpace(0), OPEN_OBJECT));
  while (body[at] === QUOTE) {
    const nameEnd = scan.nameAt(at);
    const name = body.toString('utf8', at, nameEnd);
    const start = scan.skipSpace(expectByte(body, scan.skipSpace(nameEnd), COLON));
    checkRest(start);
    if (name === FLAGS && body[start] === OPEN_LIST) {
      const { bounds, end } = yield* flagsIn(body, start);
      checkRest(start + body.length - end);
      return { bounds, rest: `${body.toString('utf8', 0, start)}[]${body.toString('utf8', end)}` };
    }
    const { end } = yield* scan.valueAt(start, 'the body');
    checkRest(end);
    at = scan.skipSpace(end);
    if (body[at] === COMMA) at = scan.skipSpace(at + 1);
  }
  checkRest(body.length);
  return { bounds: [], rest: body.toString('utf8') };
}

function* flagsIn(body: Buffer, list: number): Steps<{ readonly bounds: number[]; readonly end: number }> {
  const scan = scanner(body);
  const budget = bodyBudget(body.length);
  const bounds: number[] = [];
  let at = scan.skipSpace(list + 1);
  if (body[at] === CLOSE_LIST) return { bounds, end: at + 1 };
  for (;;) {
    const place = `flags[${bounds.length / 2}]`;
    if (body[at] !== OPEN_OBJECT) {
      const kind = KINDS.get(body.toString('latin1', at, at + 1));
      throw new InvalidBody(
        kind === undefined ? `${place}: not JSON` : `${place}: expected an object, got ${kind}`,
      );
    }
    const { end, values } = yield* scan.valueAt(at, place);
    budget.flag(values);
    bounds.push(at, end);
    const next = scan.skipSpace(end);
    if (body[next] === CLOSE_LIST) return { bounds, end: next + 1 };
    at = scan.skipSpace(expectByte(body, next, COMMA));
  }
}

import { withPauses, type Steps, nextTurn, pausing, type Turns } from '../../base/time/pausable-steps.js';
import { NEWEST_V2, WITHOUT_DIGEST, type V2Semantics } from '../../engine/version-differences.js';
import { quoted } from '../../base/text/describe.js';
import { bodyBudget, checkRest } from './body-limits.js';
import { keyedSchema, restSchema } from './body-schema.js';
import { BYTES_PER_MS, flagReader } from './flag-reader.js';
import type { ReadFlags } from './flags-of-body.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';
import { CLOSE_LIST, COLON, COMMA, expectByte, OPEN_LIST, OPEN_OBJECT, QUOTE, scanner } from './scan-json.js';

/** The content of a body: everything from which the flags of a namespace are evaluated, and what cannot be read. */
export interface ParsedBody extends ReadFlags {
  /** Only v2 has one. */
  readonly digest: string | undefined;
}

export interface HowToRead {
  /** The rules of evaluation, if the body does not name them and a Flipt v2 wrote it. Default: the newest. */
  readonly ofV2?: (() => V2Semantics) | undefined;
  /** A flag with the same text in this snapshot is not read again. */
  readonly previous?: ReadFlags | undefined;
  /** Whether a flag is read when it is first needed. Default: all are read. */
  readonly isLazy?: boolean | undefined;
}

/**
 * Reads a snapshot of `namespace`, some flags in each turn of the event loop. Rejects with {@link InvalidBody} if the body
 * is no snapshot, or if none of several flags can be read.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: Turns,
  { ofV2 = () => NEWEST_V2, previous, isLazy = false }: HowToRead = {},
): Promise<ParsedBody> {
  const { bounds, rest } = await withPauses(splitBody(body), () => nextTurn(clock));
  const { digest, namespace: named, semantics: stated } = checked(parsed(rest, 'the body'), restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const semantics = stated ?? (digest === '' ? WITHOUT_DIGEST : ofV2());
  const reader = flagReader(body, bounds.length / 2, semantics, previous);
  const pause = pausing(BYTES_PER_MS, clock);
  for (let at = 0; at < bounds.length; at += 2) {
    const [start = 0, end = 0] = bounds.slice(at, at + 2);
    const adding = withPauses(reader.add({ start, end, position: at / 2 }, !isLazy), pause);
    if (adding !== undefined) await adding;
  }
  await withPauses(reader.findReadable(), pause);
  if (!isLazy) await withPauses(reader.readRest(), pause);
  return { ...reader, digest: digest || undefined };
}

const FLAGS = '"flags"';
/** Bytes of a number, or of another word, that are looked at. */
const LONGEST_WORD = 100;

/**
 * Cuts a body between its flags, in steps of half a megabyte, so that megabytes are not parsed all at once. A body that
 * would cost too much is refused at the first place that shows it. Otherwise the flags are not checked: `JSON.parse`
 * does that later. `bounds`: where each flag begins and ends, in bytes, two numbers a flag, because there may be many.
 * `rest`: the text of the rest, with an empty list of flags.
 */
function* splitBody(body: Buffer): Steps<{ readonly bounds: readonly number[]; readonly rest: string }> {
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
    const { end, values } = yield* scan.valueAt(at, place);
    if (body[at] !== OPEN_OBJECT) checked(parsed(kindAt(body, at, end), place), keyedSchema, place);
    budget.flag(values);
    bounds.push(at, end);
    const next = scan.skipSpace(end);
    if (body[next] === CLOSE_LIST) return { bounds, end: next + 1 };
    at = scan.skipSpace(expectByte(body, next, COMMA));
  }
}

/** The text of a value, or a short one of the same kind: what is no flag may be as long as the body. */
function kindAt(body: Buffer, at: number, end: number): string {
  if (body[at] === OPEN_LIST) return '[]';
  return body[at] === QUOTE ? '""' : body.toString('utf8', at, Math.min(end, at + LONGEST_WORD));
}

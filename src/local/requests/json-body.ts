import { nextTurn, pausing, systemClock } from '../../clock.js';
import { Tokens } from './json-tokens.js';
import { invalid, tooLarge } from './refusal.js';

/** The deepest nesting that the service reads. */
const MAX_DEPTH = 10_000;
/** Most members of one list or object, so also the largest batch. */
const MAX_MEMBERS = 50_000;
const MAX_VALUES = 2_000_000;
const VALUES_PER_TURN = 5_000;
/** A text of this length takes some milliseconds to read or to write. */
const LONG_TEXT = 1_000_000;

/**
 * Reads the first JSON value of a body and ignores what follows it, as the service does; `undefined` if there is none.
 * The service accepts only integers, and takes neither `100.0` nor `1e2` for one: here, a number with a fraction or an
 * exponent becomes 0.5. Lets other requests run while it reads a large body. Rejects with a refusal.
 */
export async function parseBody(text: string): Promise<unknown> {
  // A text this short cannot be nested too deep. If it is wrong, the slower parser finds out why.
  if (text.length <= MAX_DEPTH && !/[0-9][.eE]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      return parseSlowly(text);
    }
  }
  return parseSlowly(text);
}

/** Lets other requests run before the work on a long text. */
export async function beforeLong(text: string): Promise<void> {
  if (text.length > LONG_TEXT) await nextTurn(systemClock);
}

/** A list or object whose end has not been read yet. */
interface Open {
  readonly end: ']' | '}';
  readonly value: unknown[] | Record<string, unknown>;
  readonly add: (member: unknown) => void;
  /** The name of an object's next member. */
  name: string;
  members: number;
}

async function parseSlowly(text: string): Promise<unknown> {
  await beforeLong(text);
  const tokens = new Tokens(text);
  if (tokens.next() === undefined) return undefined;
  const open: Open[] = [];
  const pause = pausing(VALUES_PER_TURN, systemClock);
  for (let values = 1; ; values++) {
    if (values > MAX_VALUES) throw tooLarge(`the body holds more than ${MAX_VALUES} values`);
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    const container = opened(tokens);
    if (container && open.length === MAX_DEPTH) throw invalid(`the body is nested deeper than ${MAX_DEPTH}`);
    if (container && !tokens.takes(container.end)) {
      open.push(container);
      begin(tokens, container);
      continue;
    }
    let value = container ? container.value : tokens.scalar();
    if (typeof value === 'string') await beforeLong(value);
    for (;;) {
      const parent = open.at(-1);
      if (!parent) return value;
      parent.add(value);
      if (tokens.takes(',')) {
        begin(tokens, parent);
        break;
      }
      tokens.expect(parent.end);
      open.pop();
      value = parent.value;
    }
  }
}

function opened(tokens: Tokens): Open | undefined {
  if (tokens.takes('[')) {
    const list: unknown[] = [];
    return { end: ']', value: list, add: (member) => list.push(member), name: '', members: 0 };
  }
  if (!tokens.takes('{')) return undefined;
  // Without a prototype, `__proto__` is a name like any other.
  const object = Object.create(null) as Record<string, unknown>;
  const container: Open = {
    end: '}',
    value: object,
    add: (member) => (object[container.name] = member),
    name: '',
    members: 0,
  };
  return container;
}

/** Moves to the next member, past its name if it has one. */
function begin(tokens: Tokens, container: Open): void {
  if (++container.members > MAX_MEMBERS) {
    throw tooLarge(`expected at most ${MAX_MEMBERS} items in a list, and members of an object`);
  }
  if (container.end === ']') return;
  container.name = tokens.string();
  tokens.expect(':');
}

import { crc32 } from 'node:zlib';
import type { Question } from '../model/question.js';
import { quoted } from '../text/quote.js';

const LOOK_UPS = 1_000;
const FEWEST_HITS = 50;
/** A context of thousands of attributes must not make the watch itself expensive. */
const MAX_NAMES = 100;

export interface HitRateWatch {
  readonly hit: () => void;
  readonly miss: (question: Question) => void;
}

/** Watches the first thousand look-ups, and warns once if hardly any of them hit. */
export function hitRateWatch(warn: (message: string) => void): HitRateWatch {
  let lookUps = 0;
  let hits = 0;
  /** What was asked with; `undefined` once the watch is over. */
  let seen: Seen | undefined = { entities: new Set(), values: new Map() };

  const looked = () => {
    if (++lookUps < LOOK_UPS || seen === undefined) return;
    const problem = hits < FEWEST_HITS ? lowHitRate(hits, seen) : undefined;
    if (problem !== undefined) warn(problem);
    seen = undefined;
  };

  return {
    hit() {
      if (seen === undefined) return;
      hits++;
      looked();
    },
    miss(question) {
      if (seen === undefined) return;
      note(seen, question);
      looked();
    },
  };
}

/** Checksums: to tell values apart is enough, and a thousand long ones would fill the memory. */
interface Seen {
  readonly entities: Set<number>;
  /** For each attribute, the values that were asked with. */
  readonly values: Map<string, Set<number>>;
}

function note({ entities, values }: Seen, { entity, attributes }: Question): void {
  entities.add(crc32(entity));
  for (const name in attributes) {
    const known = values.get(name);
    if (known !== undefined) known.add(crc32(attributes[name] ?? ''));
    else if (values.size < MAX_NAMES) values.set(name, new Set([crc32(attributes[name] ?? '')]));
  }
}

function lowHitRate(hits: number, { entities, values }: Seen): string | undefined {
  const found = `only ${hits} of the first ${LOOK_UPS} look-ups were answered from the cache`;
  let name = 'targetingKey';
  let most = 0;
  for (const [attribute, { size }] of values) {
    if (size > most) [name, most] = [attribute, size];
  }
  // Always the same context: it was the flags that differed, and those have to be asked for.
  if (most <= 1 && entities.size <= 1) return undefined;
  // What differs less often than the users themselves is no reason for it.
  if (most < entities.size) {
    return `${found}: nearly each was about another targetingKey (${entities.size}), as when many users are new`;
  }
  return (
    `${found}: the context attribute ${quoted(name)} differs most often (${most} values). ` +
    `Unless a flag depends on it, it should not be sent: attributes: { except: [${quoted(name)}] }`
  );
}

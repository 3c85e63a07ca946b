import type { Question } from '../model.js';

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
  /** For each attribute, the values that were asked with. */
  let values: Map<string, Set<string>> | undefined = new Map();

  const conclude = () => {
    if (hits < FEWEST_HITS && values !== undefined) warn(lowHitRate(hits, values));
    values = undefined;
  };

  return {
    hit() {
      if (values === undefined) return;
      hits++;
      if (++lookUps === LOOK_UPS) conclude();
    },
    miss({ attributes }) {
      if (values === undefined) return;
      for (const name in attributes) {
        const seen = values.get(name);
        if (seen !== undefined) seen.add(attributes[name] ?? '');
        else if (values.size < MAX_NAMES) values.set(name, new Set([attributes[name] ?? '']));
      }
      if (++lookUps === LOOK_UPS) conclude();
    },
  };
}

function lowHitRate(hits: number, values: ReadonlyMap<string, ReadonlySet<string>>): string {
  const found = `only ${hits} of the first ${LOOK_UPS} look-ups were answered from the cache`;
  let name: string | undefined;
  let most = 1;
  for (const [attribute, { size }] of values) {
    if (size > most) [name, most] = [attribute, size];
  }
  return name === undefined
    ? `${found}: nearly every one was about another flag or targetingKey`
    : `${found}: the context attribute ${JSON.stringify(name)} differs most often (${most} values). ` +
        `If no flag depends on it, leave it out: attributes: { except: [${JSON.stringify(name)}] }`;
}

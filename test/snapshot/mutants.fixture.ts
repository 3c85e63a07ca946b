import type { FlagJson } from './bodies.fixture.js';

/** A flag of a snapshot with one member that no version of Flipt has written until now. */
export interface Mutant {
  /** The flag's position. */
  readonly at: number;
  readonly flag: object;
  /** The names of the members on the way to it, without positions: `rules.segments.key`. */
  readonly place: string;
}

/**
 * Makes mutants of each member and each enum, at most `most` of each place, in flags far apart. A flag keeps its key.
 */
export function mutantsOf(flags: readonly FlagJson[], most: number): readonly Mutant[] {
  const byKind = new Map<string, (() => Mutant)[]>();
  for (const [at, flag] of flags.entries()) {
    for (const { path, value } of membersOf(flag)) {
      const place = path.filter((step) => typeof step === 'string').join('.');
      if (place === 'key') continue;
      const last = path.at(-1);
      // The name of an attribute, a value or a key may be any text, so that a new text there is no mutant.
      const others = typeof last === 'string' && WORDS.has(last) ? ['NEWER', {}] : [otherShape(value)];
      for (const other of others) {
        const kind = `${place} ${typeof other}`;
        const mutants = byKind.get(kind) ?? [];
        byKind.set(kind, mutants);
        mutants.push(() => ({ at, place, flag: replaced(flag, path, other) as object }));
      }
    }
  }
  // Each place begins at another flag, so that many flags have a few mutants each.
  return [...byKind.values()].flatMap((mutants, kind) => {
    const step = Math.max(1, mutants.length / most);
    const first = ((kind * 0.618) % 1) * step;
    return mutants.filter((_, n) => (n + first) % step < 1).map((mutant) => mutant());
  });
}

type Path = readonly (string | number)[];

const WORDS: ReadonlySet<string> = new Set(['type', 'matchType', 'segmentOperator', 'operator']);

function* membersOf(
  value: unknown,
  path: Path = [],
): Generator<{ readonly path: Path; readonly value: unknown }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(name) : name;
    const inner = [...path, step];
    yield { path: inner, value: member };
    yield* membersOf(member, inner);
  }
}

function otherShape(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value };
  return typeof value === 'object' ? [value] : { [typeof value]: value };
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(step), replaced(value[Number(step)], rest, by));
  return { ...(value as object), [step]: replaced(Reflect.get(value as object, step), rest, by) };
}

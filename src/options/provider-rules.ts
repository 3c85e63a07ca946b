import * as v from 'valibot';
import type { OptionRules } from './check-options.js';
import { connectionRules } from './connection-rules.js';
import { isPlainObject } from '../text/describe.js';
import type { SnapshotStore } from './snapshot-options.js';
import { filledText, members, milliseconds, trueOrFalse, whole } from './option-shapes.js';

/** The limit of the cache, which allocates room for all entries at the start. */
const MOST_ENTRIES = 2 ** 24;

const names = v.array(v.string('the name of an attribute'), 'a list of attribute names');
const attributes = v.pipe(
  members({ only: v.optional(names), except: v.optional(names) }, '{ only: [names] } or { except: [names] }'),
  v.check(({ only, except }) => (only === undefined) !== (except === undefined), 'either only or except'),
);

const SWITCH = 'true, false or an object of options';
const cache = members(
  {
    freshForMs: milliseconds(0),
    staleForMs: milliseconds(0),
    staleOnErrorForMs: milliseconds(0),
    negativeForMs: milliseconds(0),
    maxEntries: whole(1, 'entries', MOST_ENTRIES),
    maxBytes: whole(1, 'bytes'),
  },
  SWITCH,
);
const batch = members(
  {
    maxItems: whole(1, 'items'),
    maxBytes: whole(1, 'bytes'),
    maxConcurrent: whole(1, 'requests'),
    maxWaiting: whole(1, 'questions'),
  },
  SWITCH,
);
const breaker = members(
  { failures: whole(1, 'failures'), openForMs: milliseconds(1), maxOpenForMs: milliseconds(1) },
  SWITCH,
);
const watch = v.pipe(
  members(
    {
      pollMs: milliseconds(1),
      stream: v.optional(trueOrFalse),
      maxAgeMs: milliseconds(0),
      background: v.optional(trueOrFalse),
    },
    SWITCH,
  ),
  v.check(
    ({ stream, background }) => stream !== true || background !== false,
    'either stream: true or background: false',
  ),
);
const store = v.custom<SnapshotStore>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    (['load', 'save'] as const).every((method) => typeof Reflect.get(value, method) === 'function'),
  'an object with the functions load and save',
);
/** Checks as much as is possible without loading the code that reads it. */
const initial = v.pipe(
  v.custom<{ readonly flags: readonly unknown[] }>(
    (value) => isPlainObject(value) && Array.isArray(Reflect.get(value, 'flags')),
    'a snapshot or a features document, an object with a list flags',
  ),
  v.check(
    ({ flags }) => firstWithoutKey(flags) === -1,
    ({ input }) => `flags that have keys (flags[${firstWithoutKey(input.flags)}] has none)`,
  ),
);

const hasSharedPart = (given: SnapshotStore) =>
  ['function', 'undefined'].includes(typeof Reflect.get(given, 'shared'));
const snapshot = v.pipe(
  members(
    {
      file: v.optional(filledText('the path of a file')),
      store: v.optional(
        v.pipe(
          store,
          v.check(hasSharedPart, 'an object whose member shared, if there is one, is a function'),
        ),
      ),
      initial: v.optional(initial),
      semantics: v.optional(v.picklist(['v1', 'v2'], "'v1' or 'v2'")),
    },
    'an object of options',
  ),
  v.check((given) => given.file === undefined || given.store === undefined, 'either file or store'),
);
/** Not a union, because a union's message would not name the wrong option. */
const onOffOr = <S extends v.GenericSchema>(schema: S) =>
  v.optional(v.lazy((given) => (typeof given === 'boolean' ? v.boolean() : schema)));

const rules = connectionRules('FliptProvider', {
  namespace: v.optional(filledText('the key of a namespace')),
  targetingKey: v.optional(v.picklist(['optional', 'required'], "'optional' or 'required'")),
  attributes: v.optional(attributes),
  initTimeoutMs: milliseconds(1),
  deadlineMs: milliseconds(1),
  cache: onOffOr(cache),
  batch: onOffOr(batch),
  breaker: onOffOr(breaker),
  watch: onOffOr(watch),
  evaluation: v.optional(v.picklist(['remote', 'in-process'], "'remote' or 'in-process'")),
  snapshot: v.optional(snapshot),
});

function firstWithoutKey(flags: readonly unknown[]): number {
  return flags.findIndex((flag) => {
    const key: unknown = isPlainObject(flag) ? Reflect.get(flag, 'key') : undefined;
    return typeof key !== 'string' || key === '';
  });
}

/** For users of other providers, which take the namespace as their first argument. */
const MIGRATION =
  "the namespace is an option: new FliptProvider({ namespace: 'default', url: 'http://localhost:8080' })";

export const providerRules: OptionRules = {
  ...rules,
  hint: (path, given) =>
    path === 'options' && typeof given === 'string' ? MIGRATION : rules.hint?.(path, given),
};

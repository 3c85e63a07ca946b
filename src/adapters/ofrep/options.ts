import type { EvaluationContext } from '@openfeature/server-sdk';
import * as v from 'valibot';
import type { FlagOutcome } from 'openfeature-flipt-provider';
import {
  callable,
  domain,
  flagKeysOr,
  hasMethods,
  onOffOr,
  optionRules,
  whole,
  type RulesOf,
} from '../../options/value-rules.js';

/** Such as a `FliptProvider`. */
export interface FlagEvaluator {
  /** The outcome of each flag that `flagKeys` names, or for which it returns `true`. */
  evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>>;
}

/** What a browser gets of a variant flag: the key of its variant, or, if it has one, the value in the attachment. */
export type ValueKind = 'key' | 'typed';

/** With `push`, browsers get an event when a flag has changed. */
export interface PushOptions {
  /**
   * How many event streams this handler keeps open in this process. Further browsers fetch their flags every 20 s.
   * Default 5000.
   */
  readonly maxStreams?: number | undefined;
  /**
   * The path of the event stream as the browser sees it, where a proxy removes a part. Default: the path of its
   * request.
   */
  readonly requestUri?: string | undefined;
}

/** A wrong or unknown option is a TypeError when the handler is made. */
export interface OfrepOptions<R> {
  /**
   * The user as your session knows them: usually at least a `targetingKey`. It must not read the body, and has 1 s.
   * If it fails, the framework's error handling gets the error.
   */
  readonly context: (request: R) => EvaluationContext | Promise<EvaluationContext>;
  /**
   * The flags that browsers may see. With a function, the request for all flags needs Flipt's snapshot, because
   * nothing else lists the keys.
   */
  readonly flags: readonly string[] | ((flagKey: string) => boolean);
  /**
   * What the browser gets of a variant flag: `'key'` as from Flipt's own OFREP, or `'typed'`: the attachment if it is
   * a JSON object, list or number, else the key, as a number if it is one. Default `'key'`.
   */
  readonly values?: ValueKind | ((flagKey: string) => ValueKind) | undefined;
  /**
   * The attributes that the browser may send, such as its language: at most 100 in a request, of 1,000 characters each.
   * Those of `context` win. Default: none.
   */
  readonly allow?: readonly string[] | undefined;
  /** The OpenFeature domain whose provider answers. Default: the default domain. */
  readonly domain?: string | undefined;
  /** For example because a MultiProvider contains it. Default: the provider that is registered for `domain`. */
  readonly provider?: FlagEvaluator | undefined;
  /**
   * Pages get an event when a flag has changed, and need not poll. They open the stream with `GET` on the path of all
   * flags. The provider must be a `FliptProvider`. Default false.
   */
  readonly push?: boolean | PushOptions | undefined;
}

const flags = flagKeysOr<(flagKey: string) => boolean>(
  'a list of flag keys or a function that says which flags the browser may see',
);

const values = v.custom<ValueKind | ((flagKey: string) => ValueKind)>(
  (value) => value === 'key' || value === 'typed' || typeof value === 'function',
  "'key', 'typed' or a function that says which for a flag",
);

const names = 'a list of names of attributes';
const allow = v.pipe(
  v.array(v.string(names), names),
  v.check(
    (given) => !given.includes('targetingKey'),
    'names of attributes without targetingKey, which only context gives',
  ),
);

export const isEvaluator = (provider: unknown): provider is FlagEvaluator =>
  hasMethods(provider, ['evaluateEach']);

const pathOnly = 'a path that begins with one slash';

export const pushRule = onOffOr(
  {
    maxStreams: v.optional(whole(1, 'streams'), 5000),
    // A browser takes two slashes, or a backslash, for the beginning of an address on another host.
    requestUri: v.optional(v.pipe(v.string(pathOnly), v.regex(/^\/(?:[^/\\\s][^\\\s]*)?$/, pathOnly))),
  } satisfies RulesOf<PushOptions>,
  false,
);

export type PushSettings = NonNullable<v.InferOutput<typeof pushRule>>;

export const ofrepRules = optionRules('ofrep', {
  context: callable(),
  flags,
  values: v.optional(values, 'key'),
  allow: v.optional(allow, []),
  domain,
  provider: v.optional(v.custom<FlagEvaluator>(isEvaluator, 'a FliptProvider')),
  push: pushRule,
} satisfies RulesOf<OfrepOptions<never>>);

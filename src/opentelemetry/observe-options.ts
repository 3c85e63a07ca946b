import type { MeterProvider } from '@opentelemetry/api';
import * as v from 'valibot';
import type { FliptEvent, FliptEventType, FliptStatus } from '../index.js';
import { openRules } from '../options/entry-rules.js';
import { having, members, plain, type RulesOf } from '../options/shapes.js';

/** The part of a `FliptProvider` that is used. It may come from another copy of this package. */
export interface ObservedProvider {
  /** As in `FliptProvider`. */
  getStatus(): FliptStatus;
  /** As in `FliptProvider`. */
  onEvent(listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]): () => void;
}

/** A wrong or unknown option is a TypeError that names it. */
export interface ObserveOptions {
  /** Default: the global one of `@opentelemetry/api`, as it is at the call. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Flags to count by key. A list of keys: `openfeature.flipt.resolves` has `feature_flag.key` for these. `'all'`:
   * the counter `flipt_evaluations_requests` that Flipt v2 has, for each flag that was evaluated without asking Flipt.
   * Each flag is a time series of its own. Default: none.
   */
  readonly perFlag?: readonly string[] | 'all' | undefined;
  /**
   * Added to the attributes of each metric. Needed to distinguish providers with the same namespace and environment:
   * otherwise OpenTelemetry would keep only the values of the last one. Default: none.
   */
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export const observedRules = {
  owner: 'observeProvider',
  shape: members({ provider: having(['getStatus', 'onEvent'], 'a FliptProvider') }),
};

const attribute = v.union([v.string(), v.number(), v.boolean()], 'a string, a number or a boolean');

export const observeRules = openRules('observeProvider', {
  meterProvider: v.optional(having<MeterProvider>(['getMeter'], 'a MeterProvider of OpenTelemetry')),
  perFlag: v.optional(v.union([v.literal('all'), v.array(v.string())], "'all' or a list of flag keys"), []),
  attributes: v.optional(plain(v.record(v.string(), attribute), 'an object of attributes'), {}),
} satisfies RulesOf<ObserveOptions>);

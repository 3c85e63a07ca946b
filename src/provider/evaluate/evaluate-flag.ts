import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Failure } from '../../model/failure.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import { requestViewOf } from '../per-request/view.js';
import type { Runtime } from '../../model/runtime.js';
import { UNREADABLE_CONTEXT } from '../mapping/attribute-text.js';
import type { ResolveAll } from './resolve-in-process.js';
import type { Resolve } from './resolve-remotely.js';
import { quoted } from '../../base/text/describe.js';

/**
 * Evaluates a flag for a context. An `EvaluateFlag` function never throws and its promise never rejects, because a
 * failure is part of the resolution.
 */
export type EvaluateFlag = (flagKey: string, context: EvaluationContext) => Resolution | Promise<Resolution>;

/**
 * Wraps `resolve` with a check of the flag's key and the context, because callers in plain JavaScript can pass
 * anything.
 */
export function checkedEvaluation(
  resolve: Resolve,
  begins: (context: EvaluationContext) => void = () => undefined,
): EvaluateFlag {
  return (flagKey, context) => {
    // If a flag's key is not a string, Flipt would reject the whole batch of questions that contains the key.
    if (!isText(flagKey)) return failedResolution(NO_FLAG_KEY);
    try {
      begins(context);
      return resolve(flagKey, context, requestViewOf(context));
    } catch {
      // The context might be missing, or might be a `Proxy` that throws.
      return failedResolution(UNREADABLE_CONTEXT);
    }
  };
}

/**
 * Makes wrappers around functions that evaluate flags. A wrapper reports each evaluation as the event `resolved`. If
 * nobody listens to the event `resolved`, a wrapper costs almost no time.
 */
export function reporting({ clock, wants, report }: Pick<Runtime, 'clock' | 'wants' | 'report'>) {
  const reported = (flagKey: string, resolution: Resolution, durationMs: number) => {
    const { answer, source, stale } = resolution;
    const flag = isText(flagKey) ? flagKey : '';
    const failure = answer.kind === 'failed' ? answer.failure.kind : undefined;
    report({
      type: 'resolved',
      flag,
      source,
      stale,
      missing: answer.kind === 'missing',
      failure,
      durationMs,
    });
    return resolution;
  };
  return {
    /**
     * Wraps `evaluate`, and reports each evaluation. If `evaluate` returns a resolution and not a promise, the wrapper
     * does not read the clock.
     */
    evaluation(evaluate: EvaluateFlag): EvaluateFlag {
      return (flagKey, context) => {
        const coming = evaluate(flagKey, context);
        if (!wants.resolved) return coming;
        if (!(coming instanceof Promise)) return reported(flagKey, coming, 0);
        const since = clock.now();
        return coming.then((resolution) => reported(flagKey, resolution, clock.now() - since));
      };
    },
    /** Wraps `resolveAll`, and reports an evaluation of each flag that one call resolves. */
    together(resolveAll: ResolveAll): ResolveAll {
      return async (context, flagKeys) => {
        const since = wants.resolved ? clock.now() : 0;
        const all = await resolveAll(context, flagKeys);
        if (!wants.resolved || all === undefined || 'kind' in all) return all;
        // The duration is 0 for flags with another source than `service`, because these flags have usually not waited
        // for a request to Flipt.
        const waitedMs = clock.now() - since;
        for (const [flag, resolution] of all) {
          reported(flag, resolution, resolution.source === 'service' ? waitedMs : 0);
        }
        return all;
      };
    },
  };
}

const NO_FLAG_KEY: Failure = { kind: 'flag-key', message: 'the flag key is not a string' };

export function nameOf(flagKey: string): string {
  return isText(flagKey) ? quoted(flagKey) : 'a flag';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

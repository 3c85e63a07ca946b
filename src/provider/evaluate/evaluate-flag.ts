import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Failure } from '../../model/failure.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import { requestViewOf } from '../per-request/view.js';
import type { Runtime } from '../../model/runtime.js';
import { UNREADABLE_CONTEXT } from '../mapping/attribute-text.js';
import type { ResolveAll } from './resolve-in-process.js';
import type { Resolve } from './resolve-remotely.js';
import { quoted } from '../../base/text/describe.js';

/** Evaluates a flag for a context. The function never throws or rejects, because the resolution holds the failure. */
export type EvaluateFlag = (flagKey: string, context: EvaluationContext) => Resolution | Promise<Resolution>;

/** Wraps `resolve` with a check of its arguments, because callers in plain JavaScript can pass anything. */
export function checkedEvaluation(resolve: Resolve): EvaluateFlag {
  return (flagKey, context) => {
    // A key that is not a string would make its whole batch fail at the service.
    if (!isText(flagKey)) return failedResolution(NO_FLAG_KEY);
    try {
      return resolve(flagKey, context, requestViewOf(context));
    } catch {
      // The context might be missing, or might be a proxy that throws.
      return failedResolution(UNREADABLE_CONTEXT);
    }
  };
}

/** Makes wrappers that report each evaluation. Without a listener, a report costs one comparison. */
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
    /** Reports the evaluation of one flag. If the resolution of the flag is known at once, the clock is not read. */
    evaluation(evaluate: EvaluateFlag): EvaluateFlag {
      return (flagKey, context) => {
        const coming = evaluate(flagKey, context);
        if (!wants.resolved) return coming;
        if (!(coming instanceof Promise)) return reported(flagKey, coming, 0);
        const since = clock.now();
        return coming.then((resolution) => reported(flagKey, resolution, clock.now() - since));
      };
    },
    /** Reports the evaluation of each of several flags that are resolved together. */
    together(resolveAll: ResolveAll): ResolveAll {
      return async (context, flagKeys) => {
        const since = wants.resolved ? clock.now() : 0;
        const all = await resolveAll(context, flagKeys);
        if (!wants.resolved || all === undefined || 'kind' in all) return all;
        // Only the flags for which the service was asked have waited for it.
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

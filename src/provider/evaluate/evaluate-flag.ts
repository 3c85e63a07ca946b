import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Failure } from '../../model/failure.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import { requestViewOf } from '../per-request/view.js';
import type { Runtime } from '../../model/runtime.js';
import { UNREADABLE_CONTEXT } from '../mapping/attribute-text.js';
import type { ResolveAll } from './resolve-in-process.js';
import type { Resolve } from './resolve-remotely.js';
import { quoted } from '../../base/text/describe.js';

/** Never throws or rejects: the resolution holds the failure. */
export type EvaluateFlag = (flagKey: string, context: EvaluationContext) => Resolution | Promise<Resolution>;

/** Checks the arguments, because plain JavaScript may pass anything. */
export function checkedEvaluation(resolve: Resolve): EvaluateFlag {
  return (flagKey, context) => {
    // A key that is not a string would spoil its batch.
    if (!isText(flagKey)) return failedResolution(NO_FLAG_KEY);
    try {
      return resolve(flagKey, context, requestViewOf(context));
    } catch {
      // The context may be missing, or a proxy that throws.
      return failedResolution(UNREADABLE_CONTEXT);
    }
  };
}

/** Reports each evaluation. Without a listener, that costs one comparison. */
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
    /** A resolution that is known at once does not read the clock. */
    evaluation(evaluate: EvaluateFlag): EvaluateFlag {
      return (flagKey, context) => {
        const coming = evaluate(flagKey, context);
        if (!wants.resolved) return coming;
        if (!(coming instanceof Promise)) return reported(flagKey, coming, 0);
        const since = clock.now();
        return coming.then((resolution) => reported(flagKey, resolution, clock.now() - since));
      };
    },
    /** The same for all flags that are resolved together. */
    together(resolveAll: ResolveAll): ResolveAll {
      return async (context, flagKeys) => {
        const since = wants.resolved ? clock.now() : 0;
        const all = await resolveAll(context, flagKeys);
        if (!wants.resolved || all === undefined || 'kind' in all) return all;
        // Only what the service was asked for has waited for it.
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

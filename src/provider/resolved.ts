import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import type { Failure } from '../model/failure.js';
import { failedResolution, type Resolution } from '../model/resolution.js';
import type { ResolveAll } from './resolve-in-process.js';
import type { Resolve } from './resolve-remotely.js';

export interface Resolving {
  readonly resolve: Resolve;
  readonly resolveAll: ResolveAll;
}

export interface ReportedResolving extends Resolving {
  /** Reports a resolve that cannot begin. `flag` is missing if the key is not a string. */
  readonly refused: (failure: Failure, flag?: string) => Resolution;
  /** The same without reports, for questions whose answers nobody waits for yet. */
  readonly ahead: Pick<ReportedResolving, 'resolve' | 'refused'>;
}

/**
 * Reports each resolve. Without a listener, that costs one comparison. A resolution that is known at once does not read
 * the clock either.
 */
export function reportingResolved(
  { resolve, resolveAll }: Resolving,
  { wants, report }: Reporter,
  clock: Clock,
): ReportedResolving {
  const resolved = (flag: string, { answer, source, stale }: Resolution, durationMs: number) => {
    const failure = answer.kind === 'failed' ? answer.failure.kind : undefined;
    const missing = answer.kind === 'missing';
    report({ type: 'resolved', flag, source, stale, missing, failure, durationMs });
  };

  return {
    resolve(flag, context, view) {
      const coming = resolve(flag, context, view);
      if (!wants.resolved) return coming;
      if (!(coming instanceof Promise)) {
        resolved(flag, coming, 0);
        return coming;
      }
      const since = clock.now();
      return coming.then((resolution) => {
        resolved(flag, resolution, clock.now() - since);
        return resolution;
      });
    },
    refused(failure, flag = '') {
      const resolution = failedResolution(failure);
      if (wants.resolved) resolved(flag, resolution, 0);
      return resolution;
    },
    ahead: { resolve, refused: failedResolution },
    async resolveAll(context, flagKeys) {
      const since = wants.resolved ? clock.now() : 0;
      const all = await resolveAll(context, flagKeys);
      if (wants.resolved && all !== undefined && !('kind' in all)) {
        // Only what the service was asked for has waited for it.
        const waitedMs = clock.now() - since;
        for (const [flag, resolution] of all) {
          resolved(flag, resolution, resolution.source === 'service' ? waitedMs : 0);
        }
      }
      return all;
    },
  };
}

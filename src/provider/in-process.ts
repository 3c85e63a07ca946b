import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import type { Answer, MissingAnswer } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import { failedResolution, type Resolution } from '../model/resolution.js';
import { perView, requestViewOf, type RequestView } from '../request/view.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { attributeReader, entityOf, type ReadText, type Selection } from './mapping/context.js';
import { contextFailure, NO_TARGETING_KEY } from './mapping/subject.js';

/** The snapshot in force, and how far it can be trusted. */
export interface SnapshotSource {
  /** `undefined` before the first. */
  readonly snapshot: () => Snapshot | undefined;
  /** Milliseconds since the service confirmed it last. */
  readonly ageMs: () => number;
  /** Nobody knows whether the service would still answer so. */
  readonly isStale: () => boolean;
}

export interface ContextSettings {
  readonly attributes: Selection;
  readonly targetingKey: 'optional' | 'required';
}

export interface InProcess {
  /** `undefined` while there is no snapshot. Never throws. */
  readonly resolve: (flag: string, context: object, view: RequestView | undefined) => Resolution | undefined;
  /** Each flag of the snapshot, or why none can be evaluated; `undefined` while there is no snapshot. */
  readonly resolveAll: (context: object) => ReadonlyMap<string, Resolution> | Failure | undefined;
}

const MISSING: MissingAnswer = { kind: 'missing' };
const NO_ATTRIBUTES: ReadText = () => undefined;

/** Evaluates in this process. A view keeps the snapshot of its first question, so that its flags fit together. */
export function inProcess(
  source: SnapshotSource,
  { attributes, targetingKey }: ContextSettings,
  clock: Clock,
  { wants, report }: Reporter,
): InProcess {
  const readerOf = attributeReader(attributes);
  const keptBy = perView(source.snapshot, clock);

  const resolution = (answer: Answer, { version }: Snapshot): Resolution => {
    return { answer, source: 'in-process', ageMs: source.ageMs(), stale: source.isStale(), version };
  };

  /** Throws what reading the context throws. */
  const evaluate = (flag: string, snapshot: Snapshot, context: object): Resolution => {
    const entity = entityOf((context as { readonly targetingKey?: unknown }).targetingKey);
    if (entity === '' && targetingKey === 'required') return failedResolution(NO_TARGETING_KEY);
    const compiled = snapshot.compiled.flag(flag);
    if (compiled === undefined) return resolution(MISSING, snapshot);
    const read = compiled.attributes.length === 0 ? NO_ATTRIBUTES : readerOf(context);
    if (entity === '' && wants['bucket-shared'] && compiled.bucketDecides(entity, read)) {
      report({ type: 'bucket-shared', flag, attributes: Object.keys(context) });
    }
    return resolution(compiled.evaluate(entity, read), snapshot);
  };

  return {
    resolve(flag, context, view) {
      const snapshot = (view && keptBy(view)) ?? source.snapshot();
      if (snapshot === undefined) return undefined;
      try {
        return evaluate(flag, snapshot, context);
      } catch (error) {
        return failedResolution(contextFailure(error));
      }
    },
    resolveAll(context) {
      if (source.snapshot() === undefined) return undefined;
      try {
        const view = requestViewOf(context);
        const snapshot = (view && keptBy(view)) ?? source.snapshot();
        if (snapshot === undefined) return undefined;
        const flags = [...snapshot.features.flags.keys()];
        return new Map(flags.map((flag) => [flag, evaluate(flag, snapshot, context)]));
      } catch (error) {
        return contextFailure(error);
      }
    },
  };
}

import { unlessItThrows } from '../../base/text/describe.js';
import { EvaluatedEntity } from '../../engine/entity.js';
import { isBucketDecisive } from '../../engine/explain.js';
import { failedResolution, MISSING, type Resolution, type UnreadableFlag } from '../../model/answer.js';
import type { Runtime } from '../../model/runtime.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { SnapshotSource } from '../../snapshot/source.js';
import {
  attributeReader,
  contextFailure,
  entityId,
  NO_TARGETING_KEY,
  type OddAttribute,
} from '../mapping/attribute-text.js';
import type { GivenContext } from '../mapping/question-key.js';
import { perView, type RequestView } from '../per-request/view.js';
import { unreadableFailure } from '../snapshots.js';
import type { Resolve } from './remotely.js';

/** The flags of one snapshot, for one context. */
export interface FlagsHere {
  readonly snapshot: Snapshot;
  /** Never throws, and its promise never rejects. */
  readonly resolve: (flag: string) => Resolution | Promise<Resolution>;
}

/** Evaluates flags from the snapshot. Until a view is over, all flags of its request come from one snapshot. */
export function evaluatingHere(
  source: HereSource,
  /** For flags of the snapshot that this version of the package cannot read. `undefined` if nothing is sent. */
  remotely: Resolve | undefined,
  isWell: () => boolean,
  { attributes, targetingKey }: Pick<ProviderSettings, 'attributes' | 'targetingKey'>,
  odd: OddAttribute,
  { clock, hears, report }: Runtime,
) {
  const readAttribute = attributeReader(attributes, odd);
  const judgedBuckets = new Map<string, number>();

  const current = (): KeptSnapshot | undefined => {
    const snapshot = source.snapshot();
    return snapshot && { snapshot, confirmedAt: source.poller.confirmedAt() ?? -Infinity };
  };
  const keptBy = perView(current, clock);

  /** Without a targeting key, all such users are one. Explaining is slow, so a flag's first contexts decide. */
  const judgeBucket = (flag: string, snapshot: Snapshot, entity: EvaluatedEntity) => {
    const judged = judgedBuckets.get(flag) ?? 0;
    if (!hears('bucket-shared') || judged >= MOST_JUDGED) return;
    judgedBuckets.set(flag, judged + 1);
    // An explanation reads every attribute, also one that cannot be read.
    if (unlessItThrows(() => isBucketDecisive(snapshot.compiled, flag, entity)))
      report({ type: 'bucket-shared', flag });
  };

  /** Throws if an attribute that the flag compares cannot be read. */
  const evaluate = (
    flag: string,
    { snapshot, confirmedAt }: KeptSnapshot,
    entity: EvaluatedEntity,
  ): Resolution | UnreadableFlag => {
    if (entity.id === '' && targetingKey === 'required') return failedResolution(NO_TARGETING_KEY);
    const compiled = snapshot.compiled.flag(flag);
    if (compiled === undefined) {
      const unreadable = snapshot.flags.unreadable(flag);
      if (unreadable !== undefined) return unreadable;
      source.missing(flag);
    }
    const answer = compiled?.(entity) ?? MISSING;
    if (entity.id === '' && compiled !== undefined) judgeBucket(flag, snapshot, entity);
    const now = clock.now();
    source.poller.used(now);
    const isCurrent = snapshot === source.snapshot();
    const ageMs = isCurrent ? source.poller.ageMs(now) : now - confirmedAt;
    const stale = !isWell() || source.poller.sureForMs(now) <= 0;
    return { answer, source: 'in-process', ageMs, stale, version: snapshot.version };
  };

  const resolveRemotely = (
    unreadable: UnreadableFlag,
    ...asked: Parameters<Resolve>
  ): Resolution | Promise<Resolution> => {
    const [flag] = asked;
    if (remotely === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
    // A request has all attributes, so that it can fail although all other flags of the context have values.
    const own = (resolution: Resolution): Resolution => {
      const { answer } = resolution;
      if (answer.kind !== 'failed' || answer.failure.kind !== 'context') return resolution;
      const why = `the provider cannot ask Flipt: ${answer.failure.message}`;
      return failedResolution(unreadableFailure(flag, unreadable, why));
    };
    const coming = remotely(...asked);
    return coming instanceof Promise ? coming.then(own) : own(coming);
  };

  /** `undefined` while there is no snapshot. */
  return (context: GivenContext, view: RequestView | undefined): FlagsHere | undefined => {
    const kept = keptBy(view) ?? current();
    if (kept === undefined) return undefined;
    let entity: EvaluatedEntity | undefined;
    return {
      snapshot: kept.snapshot,
      resolve(flag) {
        try {
          entity ??= new EvaluatedEntity(entityId(context.targetingKey), context, readAttribute);
          const found = evaluate(flag, kept, entity);
          return 'answer' in found ? found : resolveRemotely(found, flag, context, view);
        } catch (error) {
          // Another flag may not compare the attribute that cannot be read.
          return failedResolution(contextFailure(error));
        }
      },
    };
  };
}

type HereSource = Pick<SnapshotSource, 'snapshot' | 'missing'> & {
  readonly poller: Pick<SnapshotSource['poller'], 'confirmedAt' | 'ageMs' | 'sureForMs' | 'used'>;
};

interface KeptSnapshot {
  readonly snapshot: Snapshot;
  /** In milliseconds of `clock.now()`. */
  readonly confirmedAt: number;
}

const MOST_JUDGED = 20;
const OFFLINE = 'the provider does not ask Flipt (watch: false)';

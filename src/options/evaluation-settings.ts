import { checkOptions } from './check-options.js';
import { variable, variableOf, type Environment } from './environment.js';
import { DEFAULTS, WATCH } from './defaults.js';
import type { FliptProviderOptions } from './provider-options.js';
import { providerRules } from './provider-rules.js';
import type { SnapshotOptions, WatchOptions } from './snapshot-options.js';
import { set, switched, type WithDefaults } from './with-defaults.js';

/** Where flags are evaluated, and how the snapshot is watched and kept. */
export interface EvaluationSettings {
  readonly evaluation: 'remote' | 'in-process';
  /** `undefined`: off. */
  readonly watch: WithDefaults<WatchOptions> | undefined;
  readonly snapshot: SnapshotOptions;
}

/** Throws a TypeError if the options exclude each other. */
export function evaluationSettings(
  options: FliptProviderOptions,
  reference: string | undefined,
  env: Environment,
): EvaluationSettings {
  const given = {
    evaluation: options.evaluation ?? variable(env, 'FLIPT_EVALUATION') ?? DEFAULTS.evaluation,
  };
  checkOptions(providerRules, given, variableOf);
  const evaluation = given.evaluation === 'in-process' ? 'in-process' : 'remote';
  const snapshot: SnapshotOptions = set(options.snapshot ?? {});
  const isWatched = options.watch !== false && reference === undefined;
  if (reference !== undefined && (snapshot.file ?? snapshot.store) !== undefined) {
    const message = 'snapshot.file and snapshot.store keep the newest revision only: leave out reference';
    throw new TypeError(`${providerRules.owner}: ${message}`);
  }
  if (evaluation === 'in-process') {
    if (reference !== undefined) throw wrong('the newest revision only: leave out reference');
    if (!isWatched && !hasSnapshot(snapshot)) {
      throw wrong('a snapshot: with watch: false, set snapshot.initial, snapshot.file or snapshot.store');
    }
  }
  return { evaluation, snapshot, watch: isWatched ? switched(WATCH, options.watch) : undefined };
}

function hasSnapshot({ initial, file, store }: SnapshotOptions): boolean {
  return (initial ?? file ?? store) !== undefined;
}

function wrong(needs: string): TypeError {
  return new TypeError(`${providerRules.owner}: evaluation: 'in-process' needs ${needs}`);
}

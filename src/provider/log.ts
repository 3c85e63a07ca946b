import { quoted } from '../base/text/describe.js';
import { oneTimer, type Clock } from '../base/time/clock.js';
import type { Problem } from '../model/events/flipt-event.js';
import type { Diagnostics, Log } from '../model/events/reporter.js';
import type { Failure, FailureKind } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import { sicknessIn, type Problems } from '../remote/health.js';
import { EXPIRING } from '../snapshot/reports.js';
import { acceptLossAfterMs } from '../snapshot/source.js';

/* A trouble is logged once when it begins and once when it ends. */

const LOOK_UPS = 1_000;
const FEWEST_HITS = 50;
/** Checks decide meanwhile whether Flipt is sick: an outage is not also a lost watch or an overload. */
const LOSS_SAID_AFTER_MS = 8_000;
const OVERLOAD_SAID_AFTER_MS = 4_000;
const QUIET_MS = 5_000;

type Logged = Diagnostics['listen'];

interface Place extends Pick<ProviderSettings, 'evaluation' | 'cache'> {
  readonly logger: Log<'error' | 'warn'>;
}

const NO_RESPONSE: ReadonlySet<FailureKind> = new Set(['connection', 'stale-connection', 'timeout']);

/** What has ended, for the log and for OpenFeature's event. */
export function endedWords(before: Problems, after: Problems, isEmpty: boolean): string {
  if (sicknessIn(before) && !sicknessIn(after))
    return after.has('flags-lost') ? 'Flipt answers again, but without its flags' : 'Flipt answers again';
  const ended = [...before.keys()].filter((problem) => !after.has(problem));
  const words = { ...ENDED, ...(isEmpty && { 'flags-lost': 'The namespace is empty' }) };
  return ended.map((problem) => words[problem]).join('; ');
}

const ENDED: Readonly<Record<Problem, string>> = {
  unreachable: 'Flipt can be reached',
  'credentials-rejected': 'Flipt accepts the credentials',
  'flags-lost': 'Flipt serves flags again',
  'watch-lost': 'The provider sees changes of flags again',
};

/** `served` says what users get meanwhile. */
export function logProblems({ evaluation, cache, logger }: Place, served: () => string, clock: Clock) {
  const undecided = oneTimer(clock);
  let isLossSaid = false;

  const sayLoss = ({ message }: Failure) => {
    isLossSaid = true;
    const meanwhile = evaluation === 'remote' ? EXPIRING : 'it evaluates flags from the last snapshot';
    logger.warn(`The provider cannot see changes of flags at present; ${meanwhile}: ${message}`);
  };
  return {
    changed(before: Problems, after: Problems, ended: string): void {
      const sickness = sicknessIn(after);
      const flagsLost = after.get('flags-lost');
      const watchLost = after.get('watch-lost');
      if (sickness !== undefined) isLossSaid = false;
      if (sickness && sickness.kind !== sicknessIn(before)?.kind)
        logger.warn(`${begun(after.has('unreachable'), sickness)}. ${served()}`);
      else if (sicknessIn(before) && !sickness) logger.warn(ended);
      if (flagsLost && !before.has('flags-lost'))
        logger.error(
          `Flipt has lost its flags (${flagsLost.message}). Users keep those that it served before, for ` +
            `${Math.round(acceptLossAfterMs({ cache }) / 1_000)} s (cache.staleOnErrorForMs). ${CHECK_FLIPT}`,
        );
      // If the namespace has become empty, a line about its flags has said so.
      else if (before.has('flags-lost') && !flagsLost && ended.includes(ENDED['flags-lost']))
        logger.warn(ENDED['flags-lost']);
      if (watchLost && !sickness && !flagsLost && !isLossSaid)
        undecided.ensure(LOSS_SAID_AFTER_MS, () => {
          sayLoss(watchLost);
        });
      else undecided.stop();
      if (isLossSaid && !watchLost) {
        isLossSaid = false;
        logger.warn(ENDED['watch-lost']);
      }
    },
    close: () => {
      undecided.stop();
    },
  };
}

function begun(isUnreachable: boolean, { kind, message }: Failure): string {
  if (!isUnreachable)
    return kind === 'credentials'
      ? `There are no credentials to send to Flipt (${message})`
      : `Flipt rejected the credentials (${message})`;
  return `${NO_RESPONSE.has(kind) ? 'Flipt cannot be reached' : 'Flipt does not answer as it should'} (${message})`;
}

const CHECK_FLIPT =
  "Check Flipt's log, its storage and its last upgrade, and " +
  'lint the features file; if the namespace is meant to be empty, call provider.invalidate() in each instance';

/** Where flags should be evaluated in-process, and there is no snapshot. */
export function logMissedSnapshot(logger: Log<'warn'>) {
  let isMissed = false;
  return {
    missed: () => {
      isMissed = true;
      logger.warn(WITHOUT_SNAPSHOT);
    },
    arrived: () => {
      if (isMissed) logger.warn('There is a snapshot now, and flags are evaluated from it');
      isMissed = false;
    },
  };
}

const WITHOUT_SNAPSHOT =
  "There is no snapshot to evaluate from (evaluation: 'in-process'); " +
  'Flipt evaluates the flags until there is one';

/** Since when Flipt has not kept up with the questions. */
export class Overload {
  private readonly undecided;
  private readonly quiet;
  private present: { readonly since: number; shed: number; sent: number; isSaid: boolean } | undefined;

  constructor(
    private readonly logger: Log<'warn'>,
    private readonly isSick: () => boolean,
    private readonly clock: Clock,
  ) {
    this.undecided = oneTimer(clock);
    this.quiet = oneTimer(clock);
  }

  /** In milliseconds since the epoch. */
  since(): number | undefined {
    return this.present?.since;
  }

  sent(questions: number): void {
    if (this.present) this.present.sent += questions;
  }

  shed(reason: 'queue-full' | 'late', questions: number): void {
    this.present ??= this.begin(reason);
    this.present.shed += questions;
    this.quiet.set(QUIET_MS, () => {
      this.end();
    });
  }

  close(): void {
    this.undecided.stop();
    this.quiet.stop();
    this.present = undefined;
  }

  private begin(reason: 'queue-full' | 'late') {
    const begins = { since: this.clock.date(), shed: 0, sent: 0, isSaid: false };
    this.undecided.set(OVERLOAD_SAID_AFTER_MS, () => {
      if (this.isSick()) return;
      begins.isSaid = true;
      const why =
        reason === 'late' ? 'its answers come too late' : 'too many questions wait (batch.maxWaiting)';
      this.logger.warn(`Flipt does not keep up; some calls get last known values or their defaults: ${why}`);
    });
    return begins;
  }

  private end(): void {
    if (this.present?.isSaid) {
      const { shed, sent, since } = this.present;
      const seconds = Math.max(1, Math.round((this.clock.date() - since - QUIET_MS) / 1_000));
      this.logger.warn(
        `Flipt keeps up again; in ${seconds} s, the provider did not send ${shed} of ${shed + sent} questions`,
      );
    }
    this.present = undefined;
  }
}

/** The first thousand look-ups show whether the cache works; a flag's first one cannot find anything. */
export function logHitRate(listen: Logged, { logger }: Pick<Place, 'logger'>): void {
  const flags = new Set<string>();
  let lookUps = 0;
  let hits = 0;
  const looked = (isHit: boolean) => {
    if (isHit) hits++;
    if (++lookUps < LOOK_UPS) return;
    for (const end of ends) end();
    if (hits >= FEWEST_HITS) return;
    logger.warn(
      `only ${hits} of the first ${LOOK_UPS} look-ups were answered from the cache: nearly each one had another ` +
        'context. Leave out attributes that no flag depends on, such as a time or a request id, with attributes: { except: […] }',
    );
  };
  const ends = [
    listen('hit', () => {
      looked(true);
    }),
    listen('stale-hit', () => {
      looked(true);
    }),
    listen('miss', ({ flag }) => {
      if (flags.has(flag)) looked(false);
      flags.add(flag);
    }),
  ];
}

export function logSharedBucket(listen: Logged, { logger }: Pick<Place, 'logger'>): void {
  const end = listen('bucket-shared', ({ flag }) => {
    end();
    logger.warn(
      `flag ${quoted(flag)} depends on a percentage, but the context has no targetingKey, ` +
        'so all such calls get the same value: pass the id of the user or the session as targetingKey',
    );
  });
}

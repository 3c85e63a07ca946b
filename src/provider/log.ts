import { firstOf, quoted } from '../base/text/describe.js';
import { oneTimer, type Clock } from '../base/time/clock.js';
import type { Problem, StreamState, WatchCondition } from '../model/events/flipt-event.js';
import type { Problems } from '../model/events/internal-events.js';
import type { Diagnostics, Log } from '../model/events/reporter.js';
import type { Failure, FailureKind } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';

/* A trouble is logged once when it begins and once when it ends. */

const MOST_NAMED = 20;
/** Two replicas with different flags would otherwise repeat their lists for ever. */
const MOST_LISTS = 20;
const OLD_MS = 86_400_000;
const LOOK_UPS = 1_000;
const FEWEST_HITS = 50;
/** Checks decide meanwhile whether Flipt is sick: an outage is not also a lost watch or an overload. */
const LOSS_SAID_AFTER_MS = 8_000;
const OVERLOAD_SAID_AFTER_MS = 4_000;
const QUIET_MS = 5_000;

type Logged = Diagnostics['listen'];
interface Place extends Pick<
  ProviderSettings,
  'namespace' | 'environment' | 'evaluation' | 'watch' | 'snapshot'
> {
  readonly logger: Log<'error' | 'warn' | 'info' | 'debug'>;
}

const NO_RESPONSE: ReadonlySet<FailureKind> = new Set(['connection', 'stale-connection', 'timeout']);

export function sicknessIn(problems: Problems): Failure | undefined {
  return problems.get('unreachable') ?? problems.get('credentials-rejected');
}

/** What has ended, for the log and for OpenFeature's event. */
export function endedWords(before: Problems, after: Problems, isEmpty: boolean): string {
  if (sicknessIn(before) && !sicknessIn(after)) return 'Flipt answers again';
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
export function logProblems(
  { evaluation, logger }: Pick<Place, 'evaluation' | 'logger'>,
  served: () => string,
  clock: Clock,
) {
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
      if (flagsLost && !before.has('flags-lost')) logger.error(`${FLAGS_LOST}: ${flagsLost.message}`);
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

const FLAGS_LOST =
  "Flipt has lost its flags, and the provider goes on with those that Flipt served before; check Flipt's log, its " +
  'storage and its last upgrade, and lint the features file; if the namespace is meant to be empty, call provider.invalidate()';
/** What happens to cached answers while nobody sees changes. */
const EXPIRING = 'cached answers expire by their age';

/** Returns since when Flipt has not kept up, in milliseconds since the epoch. */
export function logOverload(
  listen: Logged,
  { logger }: Pick<Place, 'logger'>,
  isSick: () => boolean,
  clock: Clock,
) {
  const undecided = oneTimer(clock);
  const quiet = oneTimer(clock);
  let overload: { readonly since: number; shed: number; sent: number; isSaid: boolean } | undefined;
  const begin = (reason: 'queue-full' | 'late') => {
    const begins = { since: clock.date(), shed: 0, sent: 0, isSaid: false };
    undecided.set(OVERLOAD_SAID_AFTER_MS, () => {
      if (isSick()) return;
      begins.isSaid = true;
      const why =
        reason === 'late' ? 'its answers come too late' : 'too many questions wait (batch.maxWaiting)';
      logger.warn(`Flipt does not keep up; some calls get last known values or their defaults: ${why}`);
    });
    return begins;
  };
  const end = () => {
    if (overload?.isSaid) {
      const { shed, sent, since } = overload;
      const seconds = Math.max(1, Math.round((clock.date() - since - QUIET_MS) / 1_000));
      logger.warn(
        `Flipt keeps up again; in ${seconds} s, the provider did not send ${shed} of ${shed + sent} questions`,
      );
    }
    overload = undefined;
  };
  listen('batch-sent', ({ items }) => {
    if (overload) overload.sent += items;
  });
  listen('shed', ({ questions, reason }) => {
    overload ??= begin(reason);
    overload.shed += questions;
    quiet.set(QUIET_MS, end);
  });
  listen('closed', () => {
    undecided.stop();
    quiet.stop();
    overload = undefined;
  });
  return () => overload?.since;
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

/** Returns a function that warns of an old snapshot, once until a poll confirms one. */
export function logSnapshots(listen: Logged, place: Place, ageMs: () => number): () => void {
  const { logger, namespace, environment } = place;
  let last: WatchCondition | undefined;
  let unknown: Failure | undefined;
  let isUnreadable = false;
  let wasOld = false;
  const once = new Set<string>();
  const warnOnce = (about: string, message: string) => {
    if (!once.has(about)) logger.warn(message);
    once.add(about);
  };
  const warnIfOld = () => {
    const days = ageMs() === Infinity ? 0 : Math.floor(ageMs() / OLD_MS);
    const since = days === 1 ? 'a day' : `${days} days`;
    if (days > 0 && !wasOld) logger.warn(`The snapshot is old: Flipt last confirmed it ${since} ago`);
    wasOld = days > 0;
  };

  listen('watch-changed', ({ state, failure }) => {
    const why = failure === undefined ? '' : `: ${failure.message}`;
    if (state === 'not-offered') notOffered(why, failure !== undefined && failure === unknown);
    else if (state === 'working') logger.debug('The provider watches Flipt for changes of flags');
    last = state;
  });
  const notOffered = (why: string, isUnknown: boolean) => {
    // Flipt has offered snapshots before.
    if (ageMs() < Infinity) return logger.warn(`${NOT_SERVED_ANY_MORE}${why}`);
    if (isUnknown)
      return logger.info(`There is no snapshot until Flipt knows the namespace; ${EXPIRING}${why}`);
    const kept = (['file', 'store'] as const).filter((name) => place.snapshot[name] !== undefined);
    const lost = kept.map((name) => `; snapshot.${name} has no effect`).join('');
    logger[lost === '' ? 'info' : 'warn'](`Flipt offers no snapshots; ${EXPIRING}${lost}${why}`);
  };
  listen('snapshot-polled', ({ failure }) => {
    warnIfOld();
    const wasUnreadable = isUnreadable;
    // If Flipt offers no snapshots, a gateway may answer each poll with a web page.
    isUnreadable = failure?.kind === 'unreadable' && last !== 'not-offered';
    if (failure === undefined) return;
    const level = isUnreadable && !wasUnreadable ? 'warn' : 'debug';
    logger[level](`The provider could not fetch the snapshot: ${failure.message}`);
  });
  listen('flags-changed', ({ flags, lostHalf, emptied }) => {
    if (emptied !== undefined) {
      const gone = emptied.flags === 1 ? 'its flag is gone' : `its ${emptied.flags} flags are gone`;
      const because = emptied.because === undefined ? '' : `, ${emptied.because}`;
      logger.warn(`The namespace ${quoted(namespace)} is empty${because}; ${gone}`);
      return;
    }
    logger.info(`Flags have changed: ${firstOf(flags, MOST_NAMED)}`);
    if (lostHalf === undefined) return;
    const { keys, of } = lostHalf;
    logger.warn(`More than half of the flags are gone from Flipt, ${keys.length} of ${of}: ${firstOf(keys)}`);
  });
  const lists = new Set<string>();
  listen('flags-unreadable', ({ flags }) => {
    const [first] = flags.values();
    if (first === undefined) return logger.info('The provider can read all flags again');
    const names = firstOf([...flags.keys()], MOST_NAMED);
    if (lists.has(names)) return;
    if (lists.size >= MOST_LISTS) lists.clear();
    lists.add(names);
    logger.warn(
      `This version of openfeature-flipt-provider cannot read these flags: ${names}; ${unreadableAre(place)}, ` +
        `and all others work. The reason for the first one: ${first.reason}`,
    );
  });
  listen('flags-repeated', ({ flags }) => {
    warnOnce(
      'repeated',
      `Flipt has several flags of one key in the namespace ${quoted(namespace)}: ` +
        `${firstOf(flags, MOST_NAMED)}; Flipt and the provider use the last flag of each key: remove the others`,
    );
  });
  listen('namespace-suspect', ({ failure }) => {
    unknown = failure;
    const of = environment === undefined ? '' : ` of the environment ${quoted(environment)}`;
    const where = `the namespace ${quoted(namespace)}${of}`;
    warnOnce(
      'namespace',
      failure === undefined
        ? `Flipt has no flags in ${where}: ${CHECK_NAMESPACE}`
        : `Flipt does not know ${where} (${CHECK_NAMESPACE}): ${failure.message}`,
    );
  });
  listen('flag-key-suspect', ({ flag, like }) => {
    logger.warn(
      `There is no flag ${quoted(flag)} in the namespace ${quoted(namespace)}; is it ${quoted(like)}?`,
    );
  });
  let isStreamMissed = false;
  listen('stream-changed', ({ state, why }) => {
    const isOver = isStreamMissed && state === 'open';
    if (state === 'not-offered' && !isStreamMissed) logger.warn(`${STREAM_MISSED}: ${why}`);
    else logger[isOver ? 'info' : 'debug'](`The stream of changes is ${WORDS[state]}: ${why}`);
    isStreamMissed = state === 'not-offered' || (isStreamMissed && !isOver);
  });
  return warnIfOld;
}

const NOT_SERVED_ANY_MORE =
  'Flipt refuses snapshots, so that the saved or initial one does not change any more';

const CHECK_NAMESPACE =
  "check the options namespace and environment; if they are right, Flipt has not loaded its flags: look into Flipt's " +
  'log, and lint the features file';

function unreadableAre({ evaluation, watch }: Place): string {
  if (evaluation === 'remote') return `their ${EXPIRING}`;
  return watch === undefined ? 'calls get their defaults' : 'the provider asks Flipt for them';
}

const STREAM_MISSED =
  'watch.stream has no effect, because the provider gets no stream of changes from Flipt and finds changes only by ' +
  'polls. Flipt has a stream since 2.9, and a proxy in between must pass the stream on at once, without buffering it';

const WORDS: Readonly<Record<StreamState, string>> = {
  open: 'open',
  broken: 'broken, and the provider opens it again',
  'not-offered': 'not offered by Flipt, and the provider finds changes by polls',
};

import { firstOf, quoted } from '../../base/text/describe.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';
import type { Failure } from '../../model/failure.js';
import { becauseOf } from './health-log.js';
import type { EventOf } from '../../model/events/internal-events.js';

interface WatchedPlace {
  readonly namespace: string;
  readonly environment: string | undefined;
  readonly evaluation: 'remote' | 'in-process';
  /** The option `watch`. If this member is `undefined`, the provider does not poll Flipt for the snapshot. */
  readonly watch: object | undefined;
  /** The options that say where the provider saves the snapshot. Default: the provider does not save the snapshot. */
  readonly snapshot?: Readonly<Partial<Record<'file' | 'store', unknown>>>;
}

/** One log line names at most this many flags. */
const MOST_NAMED = 20;
/**
 * `logWatch` remembers at most this many different lists of unreadable flags, and warns only once about each list that
 * it remembers. If `logWatch` forgot the lists, two replicas of Flipt with different flags would make the log repeat
 * the warnings forever.
 */
const MOST_WARNED = 20;

/**
 * Logs what polls and the stream of changes find. A lasting problem is logged once when it begins and once when it
 * ends.
 */
export function logWatch(
  { listen }: Pick<Diagnostics, 'listen'>,
  place: WatchedPlace,
  logger: Log<'warn' | 'info' | 'debug'>,
): void {
  const meanwhile = place.evaluation === 'remote' ? EXPIRING : 'it evaluates flags from the last snapshot';
  let last: EventOf<'watch-changed'>['state'] | undefined;
  let isLossNews = false;
  let isSuspect = false;
  /**
   * The failure with which Flipt answered that it does not know the namespace, or `undefined` if it knows the
   * namespace.
   */
  let unknown: Failure | undefined;
  let isRepeated = false;
  let isBroken = false;
  let isStreamMissed = false;
  const kept = (['file', 'store'] as const).filter((name) => place.snapshot?.[name] !== undefined);
  const warned = new Set<string>();

  listen('watch-changed', ({ state, failure }) => {
    const why = failure === undefined ? '' : `: ${failure.message}`;
    // If Flipt has lost its flags, `logHealth` already logs an error, so that this line can have the level `debug`.
    if (state === 'lost') isLossNews = failure?.kind !== 'flags-lost';
    const level = isLossNews ? 'warn' : 'debug';
    if (state === 'lost') logger[level](`${UNSEEN}; ${meanwhile}${why}`);
    else if (state === 'not-offered' && failure !== undefined && failure === unknown) {
      logger.info(`There is no snapshot until Flipt knows the namespace; ${EXPIRING}${why}`);
    } else if (state === 'not-offered') {
      // If Flipt offers no snapshots, the provider has none to save. The level is `warn` if the user has set
      // `snapshot.file` or `snapshot.store`.
      const lost = kept.map((name) => `; snapshot.${name} has no effect`).join('');
      logger[lost === '' ? 'info' : 'warn'](`Flipt offers no snapshots; ${EXPIRING}${lost}${why}`);
    } else if (last === 'lost') logger[level]('The provider sees changes of flags again');
    else logger[last === undefined ? 'debug' : 'info']('The provider watches Flipt for changes of flags');
    last = state;
  });
  listen('snapshot-polled', ({ failure }) => {
    const wasBroken = isBroken;
    // If Flipt offers no snapshots, the line about an unreadable response to a poll has the level `debug`, because a
    // gateway might answer each poll with a web page.
    isBroken = failure?.kind === 'unreadable' && last !== 'not-offered';
    if (failure === undefined) return;
    const level = isBroken && !wasBroken ? 'warn' : 'debug';
    logger[level](`The provider could not fetch the snapshot: ${failure.message}`);
  });
  listen('flags-changed', ({ flags, lostHalf, emptied }) => {
    if (emptied !== undefined) {
      const { flags: count } = emptied;
      const gone = count === 1 ? 'its flag is gone' : `its ${count} flags are gone`;
      logger.warn(`The namespace ${quoted(place.namespace)} is empty${becauseOf(emptied)}; ${gone}`);
      return;
    }
    logger.info(`Flags have changed: ${firstOf(flags, MOST_NAMED)}`);
    if (lostHalf === undefined) return;
    const { keys, of } = lostHalf;
    logger.warn(`More than half of the flags are gone from Flipt, ${keys.length} of ${of}: ${firstOf(keys)}`);
  });
  listen('flags-unreadable', ({ flags }) => {
    const [first] = flags.values();
    if (first === undefined) {
      logger.info('The provider can read all flags again');
      return;
    }
    const names = firstOf([...flags.keys()], MOST_NAMED);
    const isKnown = warned.has(names);
    if (warned.size >= MOST_WARNED) warned.clear();
    warned.add(names);
    if (isKnown) return;
    logger.warn(
      `This version of openfeature-flipt-provider cannot read these flags: ${names}; ${unreadableAre(place)}, ` +
        `and all others work. The reason for the first one: ${first.reason}`,
    );
  });
  listen('flags-repeated', ({ flags }) => {
    if (isRepeated) return;
    isRepeated = true;
    logger.warn(
      `Flipt has several flags of one key in the namespace ${quoted(place.namespace)}: ` +
        `${firstOf(flags, MOST_NAMED)}; Flipt and the provider use the last flag of each key: remove the others`,
    );
  });
  listen('namespace-suspect', ({ failure }) => {
    unknown = failure;
    if (isSuspect) return;
    isSuspect = true;
    const { namespace, environment } = place;
    const of = environment === undefined ? '' : ` of the environment ${quoted(environment)}`;
    const where = `the namespace ${quoted(namespace)}${of}`;
    logger.warn(
      failure === undefined
        ? `Flipt has no flags in ${where}: ${CHECK_NAMESPACE}`
        : `Flipt does not know ${where} (${CHECK_NAMESPACE}): ${failure.message}`,
    );
  });
  listen('flag-key-suspect', ({ flag, like }) => {
    logger.warn(
      `There is no flag ${quoted(flag)} in the namespace ${quoted(place.namespace)}; is it ${quoted(like)}?`,
    );
  });
  listen('stream-changed', ({ state, why }) => {
    const isOver = isStreamMissed && state === 'open';
    if (state !== 'not-offered' || isStreamMissed)
      logger[isOver ? 'info' : 'debug'](`The stream of changes is ${WORDS[state]}: ${why}`);
    else logger.warn(`${STREAM_MISSED}: ${why}`);
    isStreamMissed = state === 'not-offered' || (isStreamMissed && !isOver);
  });
}

const UNSEEN = 'The provider cannot see changes of flags at present';
/** What happens to cached answers while the provider cannot see changes of their flags. */
const EXPIRING = 'cached answers expire by their age';

const CHECK_NAMESPACE =
  "check the options namespace and environment; if they are right, Flipt has not loaded its flags: look into Flipt's " +
  'log, and lint the features file';

function unreadableAre({ evaluation, watch }: WatchedPlace): string {
  if (evaluation === 'remote') return `their ${EXPIRING}`;
  return watch === undefined ? 'calls get their defaults' : 'the provider asks Flipt for them';
}

const STREAM_MISSED =
  'watch.stream has no effect, because the provider gets no stream of changes from Flipt and finds changes only by ' +
  'polls. Flipt has a stream since 2.9, and a proxy in between must pass the stream on at once, without buffering it';

const WORDS: Readonly<Record<EventOf<'stream-changed'>['state'], string>> = {
  open: 'open',
  broken: 'broken, and the provider opens it again',
  'not-offered': 'not offered by Flipt, and the provider finds changes by polls',
};

import { ProviderEvents } from '@openfeature/server-sdk';
import type { FliptProvider, FliptStatus } from 'openfeature-flipt-provider';
import { unlessItThrows } from '../../../base/text/describe.js';

/** A provider that reports when its flags change, such as a `FliptProvider`. */
export type ChangeSource = Pick<FliptProvider, 'events' | 'onEvent' | 'getStatus'>;

export function isChangeSource(provider: object | undefined): provider is ChangeSource {
  return provider !== undefined && 'events' in provider && 'onEvent' in provider && 'getStatus' in provider;
}

interface Listener {
  /**
   * Is called when the answers about flags might have changed. If Flipt answers, all instances of the app with the same
   * options see the change within `seenWithinMs` milliseconds. If `seenWithinMs` is `undefined`, it is unknown when all
   * instances see the change.
   */
  readonly changed: (seenWithinMs: number | undefined) => void;
  readonly closed: () => void;
}

/**
 * Listens for changes of the provider's flags until the returned function is called. `isVisible` returns whether
 * browsers are allowed to see a flag; changes of other flags are not reported.
 */
export function onChanges(
  provider: ChangeSource,
  isVisible: (flagKey: string) => boolean,
  { changed, closed }: Listener,
): () => void {
  // If `isVisible` throws, the flag counts as visible: the browser then asks for its flags, and that request reports
  // the error.
  const matters = (flagKey: string) => unlessItThrows(() => isVisible(flagKey)) ?? true;
  const watch = () => provider.getStatus().watch;
  const hasSnapshot = () => typeof watch()?.version === 'string';
  const report = () => {
    changed(watch()?.seenWithinMs ?? undefined);
  };
  let hadSnapshot = hasSnapshot();

  // A ConfigurationChanged event without flag keys means that any flag might have changed.
  const flagsChanged = ({ flagsChanged: keys }: { readonly [detail: string]: unknown } = {}) => {
    if (!Array.isArray(keys) || keys.some(matters)) report();
  };
  provider.events.addHandler(ProviderEvents.ConfigurationChanged, flagsChanged);
  const stop = provider.onEvent(
    ({ type }) => {
      if (type === 'closed') {
        closed();
      } else if (type === 'health-changed') {
        if (needsService(watch(), matters)) report();
      } else if (!hadSnapshot && hasSnapshot()) {
        // The provider reports no flag as changed when it gets its first snapshot, so this function reports the first
        // snapshot itself.
        hadSnapshot = true;
        report();
      }
    },
    ['closed', 'health-changed', 'snapshot-polled'],
  );
  return () => {
    provider.events.removeHandler(ProviderEvents.ConfigurationChanged, flagsChanged);
    stop();
  };
}

/**
 * Returns whether the beginning or the end of an outage can change the answer about a visible flag, because no snapshot
 * can answer for this flag.
 */
function needsService(watch: FliptStatus['watch'], matters: (flagKey: string) => boolean): boolean {
  if (watch === null || watch.version === null) return true;
  const { count, flags } = watch.unreadable;
  return count > flags.length || flags.some(({ key }) => matters(key));
}

import { ProviderEvents } from '@openfeature/server-sdk';
import type { FliptProvider, FliptStatus } from '../../../index.js';
import { unlessItThrows } from '../../../base/text/describe.js';

/** A provider that reports its changes: a `FliptProvider`. */
export type ChangeSource = Pick<FliptProvider, 'events' | 'onEvent' | 'getStatus'>;

export function isChangeSource(provider: object | undefined): provider is ChangeSource {
  return provider !== undefined && 'events' in provider && 'onEvent' in provider && 'getStatus' in provider;
}

interface Listener {
  /** Answers may have changed. `seenWithinMs`: after so many milliseconds, all instances know; `undefined`: unknown. */
  readonly changed: (seenWithinMs: number | undefined) => void;
  readonly closed: () => void;
}

/** Listens until the returned function is called. `isVisible` says whether a change of a flag matters. */
export function onChanges(
  provider: ChangeSource,
  isVisible: (flagKey: string) => boolean,
  { changed, closed }: Listener,
): () => void {
  // The browser's next request shows what it throws.
  const matters = (flagKey: string) => unlessItThrows(() => isVisible(flagKey)) ?? true;
  const watch = () => provider.getStatus().watch;
  const hasSnapshot = () => typeof watch()?.version === 'string';
  const report = () => {
    changed(watch()?.seenWithinMs ?? undefined);
  };
  let hadSnapshot = hasSnapshot();

  // Without keys, all flags may have changed.
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
        // Of the first snapshot, no flag is reported as changed.
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

/** Whether an outage, and its end, changes answers: those that no snapshot can give. */
function needsService(watch: FliptStatus['watch'], matters: (flagKey: string) => boolean): boolean {
  if (watch === null || watch.version === null) return true;
  const { count, flags } = watch.unreadable;
  return count > flags.length || flags.some(({ key }) => matters(key));
}

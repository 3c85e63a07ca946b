import { ErrorCode, ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { OnStateChange } from './status/provider-state.js';

const EVENTS = {
  ready: ProviderEvents.Ready,
  stale: ProviderEvents.Stale,
  error: ProviderEvents.Error,
} as const;

/** Emits each change of the provider's state as OpenFeature's event. */
export function emittingStates(events: OpenFeatureEventEmitter): OnStateChange {
  return (state, message) => {
    // Never PROVIDER_FATAL: the SDK would stop calling the provider, and nothing would show that it works again.
    const details = state === 'error' ? { message, errorCode: ErrorCode.GENERAL } : { message };
    events.emit(EVENTS[state], details);
  };
}

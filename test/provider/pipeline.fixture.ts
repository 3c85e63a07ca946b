import { OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { ProviderSettings } from '../../src/options/settings.js';
import { ReportedState } from '../../src/provider/status/provider-state.js';
import type { Pipeline } from '../../src/provider/pipeline.js';
import { wire } from '../../src/provider/wire.js';
import { systemClock, type Clock } from '../../src/base/time/clock.js';

/** Makes the layers of a provider. By default, nobody hears its events. */
export function pipelineOf(
  settings: ProviderSettings,
  clock: Clock = systemClock,
  random: () => number = Math.random,
  events = new OpenFeatureEventEmitter(),
): Pipeline {
  return wire(settings, new ReportedState(events, clock), { clock, random });
}

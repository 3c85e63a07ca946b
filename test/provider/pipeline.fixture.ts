import { OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { openDiagnostics, type Diagnostics } from '../../src/model/events/reporter.js';
import type { ProviderSettings } from '../../src/options/settings.js';
import { State } from '../../src/provider/state.js';
import { openLayers, type Running } from '../../src/provider/layers.js';
import { systemClock, type Clock } from '../../src/base/time/clock.js';

/** Makes the layers of a provider. By default, nobody hears its events. */
export function pipelineOf(
  settings: ProviderSettings,
  clock: Clock = systemClock,
  random: () => number = Math.random,
  events = new OpenFeatureEventEmitter(),
): Running & Pick<Diagnostics, 'listen'> {
  const diagnostics = openDiagnostics();
  const running = openLayers(
    settings,
    new State(events, clock),
    { clock, random },
    diagnostics,
    () => undefined,
  );
  return { ...running, listen: diagnostics.listen };
}

import { openDiagnostics } from '../../model/events/reporter.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { outsideRequests } from '../../base/time/background-work.js';
import type { ReportedState } from '../status/provider-state.js';
import type { Pipeline } from '../pipeline.js';
import { wireWithBackground } from './with-background.js';
import { wireWithoutBackground } from './without-background.js';

/** One life of a provider, from start to close. Nothing of it belongs to the request that happens to create or use it. */
export function openPipeline(
  settings: ProviderSettings,
  reported: ReportedState,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  diagnostics = openDiagnostics(),
): Pipeline {
  const wire = settings.background ? wireWithBackground : wireWithoutBackground;
  return outsideRequests(() => wire(settings, reported, { clock, random, ...diagnostics }));
}

import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { messageOf } from '../base/text/describe.js';
import { failedResolution } from '../model/answer.js';
import { openDiagnostics, type Diagnostics } from '../model/events/reporter.js';
import type { FliptEvent, FliptEventType } from '../model/events/flipt-event.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { ProviderSettings } from '../options/settings.js';
import { Counts } from './counts.js';
import type { Evaluate } from './evaluate/resolve.js';
import type { FliptStatus } from './flipt-status.js';
import { addListener } from './listeners.js';
import { alive, isReplaced } from './living.js';
import { logHitRate, logSharedBucket } from './log.js';
import { CLOSED, errorOf } from './mapping/openfeature-errors.js';
import { State } from './state.js';
import { statusOf } from './status.js';
import type { Tracking } from './tracking/tracking.js';
import { openLayers, type Running } from './layers.js';

/** Starts and closes a provider, and owns what survives a close. */
export class Lifecycle {
  private readonly counts: Counts;
  private readonly state: State;
  private running: Running | undefined;
  /** A close that has not ended, for example because the snapshot is still being saved. */
  private closing: { readonly running: Running; readonly ended: Promise<void> } | undefined;
  private hasRefused = false;
  private die: (() => void) | undefined;
  /** Of all starts. */
  readonly diagnostics: Diagnostics;
  /** `undefined` without the option `tracking`. */
  readonly exposed: Tracking['exposed'] | undefined;

  constructor(
    private readonly settings: ProviderSettings,
    private readonly events: OpenFeatureEventEmitter,
    private readonly world: Pick<Runtime, 'clock' | 'random'>,
  ) {
    const { logger, tracking, cache } = settings;
    this.state = new State(events, world.clock);
    this.diagnostics = openDiagnostics((error) => {
      logger.error(`A defect of openfeature-flipt-provider: ${messageOf(error)}`);
    });
    // The first listener, because another one may call `getStatus()`.
    this.counts = new Counts(this.diagnostics, world.clock);
    logSharedBucket(this.diagnostics.listen, settings);
    if (cache !== undefined) logHitRate(this.diagnostics.listen, settings);
    this.exposed = tracking && ((...given) => this.running?.tracking?.exposed(...given));
    this.running = this.opened();
  }

  current(): Running | undefined {
    return this.running;
  }

  /** Throws PROVIDER_NOT_READY after the close. */
  open(): Running {
    if (this.running === undefined) throw errorOf(CLOSED);
    return this.running;
  }

  readonly evaluate: Evaluate = (flagKey, context) => {
    if (this.running === undefined) return this.refused();
    if (this.die === undefined) this.live();
    return this.running.evaluate(flagKey, context);
  };

  start(): Promise<Failure | undefined> {
    const running = (this.running ??= this.opened());
    this.live();
    // A save of the run before must not overwrite one of this run.
    return this.closing === undefined ? running.start() : this.closing.ended.then(() => running.start());
  }

  async close(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    this.die?.();
    this.die = undefined;
    if (running !== undefined) {
      this.hasRefused = false;
      this.state.close();
      const ended = running.close().finally(() => {
        if (this.closing?.running === running) this.closing = undefined;
      });
      this.closing = { running, ended };
    }
    await this.closing?.ended;
  }

  forget(flags?: readonly string[]): void {
    this.running?.forget(flags);
    // What is evaluated here changes only once a poll has found it.
    if (this.running?.isHere(flags) !== true) this.announceChange(flags);
  }

  readonly status = (): FliptStatus => {
    const readings = (this.running ?? this.closing?.running)?.read();
    return statusOf(this.settings, this.state.current(), this.counts, readings, this.world.clock);
  };

  readonly listen = (listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]) =>
    addListener(this.diagnostics, this.settings.logger.warn, listener, types);

  private live(): void {
    this.die ??= alive(this.settings);
  }

  /** OpenFeature can still report a closed provider as READY. */
  private refused() {
    const message = `${CLOSED.message}${isReplaced(this.settings) ? REPLACED : ''}`;
    if (!this.hasRefused)
      this.settings.logger.warn(`A flag was asked for, but ${message}; calls get defaults`);
    this.hasRefused = true;
    return failedResolution({ ...CLOSED, message });
  }

  private opened(): Running {
    return openLayers(this.settings, this.state, this.world, this.diagnostics, (flags) => {
      this.announceChange(flags);
    });
  }

  private announceChange(flags: readonly string[] | undefined): void {
    this.events.emit(ProviderEvents.ConfigurationChanged, flags ? { flagsChanged: [...flags] } : {});
  }
}

const REPLACED =
  ' (another provider has taken its place: ask a client of OpenFeature, which knows the present one)';

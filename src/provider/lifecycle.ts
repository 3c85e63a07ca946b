import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { openDiagnostics } from '../model/events/reporter.js';
import { EventHistory } from './diagnostics/event-history.js';
import { openUserListeners, type UserListeners } from './diagnostics/user-listeners.js';
import { failedResolution } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import { unitWarnings } from '../options/wrong-units.js';
import type { Runtime } from '../model/runtime.js';
import type { Tracking } from './tracking/tracking.js';
import { ReportedState } from './status/provider-state.js';
import type { EvaluateFlag } from './evaluate/evaluate-flag.js';
import { CLOSED, errorOf } from './mapping/openfeature-errors.js';
import type { Pipeline } from './pipeline.js';
import { wire } from './wire.js';
import type { FliptStatus } from './status/flipt-status.js';
import { statusOf } from './status/read-status.js';

/** A close that is in progress, because some requests of the closing life are still under way. */
interface Closing {
  readonly life: Pipeline;
  readonly ended: Promise<void>;
}

/**
 * Starts and closes a provider, which can start again afterwards. A life of the provider is the time from a start to
 * the close; the first life begins when the provider is created. The lifecycle owns what lasts longer than one life.
 */
export class Lifecycle {
  private readonly history: EventHistory;
  private readonly state: ReportedState;
  private life: Pipeline | undefined;
  private closing: Closing | undefined;
  /** Whether a call after the close has been logged already. */
  private hasRefused = false;
  /** The listeners of the user. The listeners stay attached when the provider is closed and starts again. */
  readonly userListeners: UserListeners;
  /** Tracks what callers get, or is `undefined` if the option `tracking` is not set. */
  readonly exposed: Tracking['exposed'] | undefined;

  constructor(
    private readonly settings: ProviderSettings,
    private readonly events: OpenFeatureEventEmitter,
    private readonly world: Pick<Runtime, 'clock' | 'random'>,
  ) {
    const { logger, tracking } = settings;
    this.history = new EventHistory(world.clock);
    this.state = new ReportedState(events, world.clock);
    this.userListeners = openUserListeners(logger.warn);
    const doubt = unitWarnings(settings);
    if (doubt !== undefined) logger.warn(doubt);
    this.exposed = tracking && ((...given) => this.life?.tracking?.exposed(...given));
    this.life = this.live();
  }

  /** Returns the current life, or `undefined` once the provider is closed. */
  running(): Pipeline | undefined {
    return this.life;
  }

  /** Returns the current life, or throws PROVIDER_NOT_READY if the provider is closed. */
  open(): Pipeline {
    if (this.life === undefined) throw errorOf(CLOSED);
    return this.life;
  }

  /**
   * Evaluates a flag in the current life. The first call after the close is logged, because OpenFeature still says that
   * the provider is READY.
   */
  readonly evaluate: EvaluateFlag = (flagKey, context) => {
    if (this.life !== undefined) return this.life.evaluate(flagKey, context);
    if (!this.hasRefused)
      this.settings.logger.warn(`A flag was asked for, but ${CLOSED.message}; calls get defaults`);
    this.hasRefused = true;
    return failedResolution(CLOSED);
  };

  /**
   * Starts the current life, or a new one after a close. The promise resolves with the failure, if there is one, and
   * never rejects.
   */
  start(): Promise<Failure | undefined> {
    this.life ??= this.live();
    return this.life.start();
  }

  /** Closes the current life. Concurrent callers share one close. */
  async close(): Promise<void> {
    const { life } = this;
    this.life = undefined;
    if (life !== undefined) {
      this.hasRefused = false;
      this.state.close();
      const ended = life.close().finally(() => {
        if (this.closing?.life === life) this.closing = undefined;
      });
      this.closing = { life, ended };
    }
    await this.closing?.ended;
  }

  /** Forgets the known answers of some flags, or of all flags, and emits that the flags may have changed. */
  forget(flags?: readonly string[]): void {
    this.life?.forget(flags);
    // In-process, the poll that follows at once announces which flags have changed.
    if (this.life?.isHere(flags) !== true) announceChange(this.events, flags);
  }

  readonly status = (): FliptStatus => {
    const readings = (this.life ?? this.closing?.life)?.read();
    return statusOf(this.settings, this.state.current(), this.history, readings, this.world.clock);
  };

  private live(): Pipeline {
    const diagnostics = openDiagnostics();
    // The history is attached first, so that the status is up to date when another listener reads it.
    this.history.attach(diagnostics);
    const life = wire(this.settings, this.state, this.world, diagnostics);
    life.listen('flags-changed', ({ flags }) => {
      announceChange(this.events, flags);
    });
    this.userListeners.attach(life);
    return life;
  }
}

function announceChange(events: OpenFeatureEventEmitter, flags: readonly string[] | undefined): void {
  events.emit(ProviderEvents.ConfigurationChanged, flags ? { flagsChanged: [...flags] } : {});
}

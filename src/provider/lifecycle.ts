import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { openDiagnostics } from '../model/events/reporter.js';
import { EventHistory } from './diagnostics/event-history.js';
import { openUserListeners, type UserListeners } from './diagnostics/user-listeners.js';
import { messageOf, oneLine } from '../base/text/describe.js';
import { failedResolution } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../model/runtime.js';
import type { Tracking } from './tracking/tracking.js';
import { ReportedState } from './status/provider-state.js';
import type { EvaluateFlag } from './evaluate/evaluate-flag.js';
import { CLOSED, errorOf } from './mapping/openfeature-errors.js';
import type { Pipeline } from './pipeline.js';
import { wire } from './wire.js';
import type { FliptStatus } from './status/flipt-status.js';
import { statusOf } from './status/read-status.js';

/** A close of the provider that has not ended yet, for example because the snapshot is still being saved. */
interface Closing {
  readonly pipeline: Pipeline;
  readonly ended: Promise<void>;
}

/**
 * Starts and closes a provider, which can be started again after the close. Each start after a close makes a new
 * `Pipeline`; the constructor makes the first one. `Lifecycle` owns all state that must survive a close.
 */
export class Lifecycle {
  private readonly history: EventHistory;
  private readonly state: ReportedState;
  private pipeline: Pipeline | undefined;
  private closing: Closing | undefined;
  /** Whether the log already has a warning about a call after the close. */
  private hasRefused = false;
  /** Whether the log already has a defect: one in a listener would come again with each answer. */
  private hasDefect = false;
  /**
   * The listeners that the user has added with `onEvent`. When the provider is closed and started again, the listeners
   * stay.
   */
  readonly userListeners: UserListeners;
  /** Tracks the values that callers get. This member is `undefined` if the option `tracking` is not set. */
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
    this.exposed = tracking && ((...given) => this.pipeline?.tracking?.exposed(...given));
    this.pipeline = this.newPipeline();
  }

  /** Returns the pipeline of the running provider, or `undefined` if the provider is closed. */
  running(): Pipeline | undefined {
    return this.pipeline;
  }

  /** Returns the pipeline of the running provider. Throws PROVIDER_NOT_READY if the provider is closed. */
  open(): Pipeline {
    if (this.pipeline === undefined) throw errorOf(CLOSED);
    return this.pipeline;
  }

  /**
   * Evaluates a flag with the running provider. The first evaluation after a close logs a warning, because OpenFeature
   * can still report the provider as READY.
   */
  readonly evaluate: EvaluateFlag = (flagKey, context) => {
    if (this.pipeline !== undefined) return this.pipeline.evaluate(flagKey, context);
    if (!this.hasRefused)
      this.settings.logger.warn(`A flag was asked for, but ${CLOSED.message}; calls get defaults`);
    this.hasRefused = true;
    return failedResolution(CLOSED);
  };

  /**
   * Starts the provider, even after a close. The promise resolves with the failure of the start, or with `undefined` if
   * the start succeeded, and never rejects.
   */
  start(): Promise<Failure | undefined> {
    this.pipeline ??= this.newPipeline();
    return this.pipeline.start();
  }

  /** Closes the provider. Concurrent callers share one close. */
  async close(): Promise<void> {
    const { pipeline } = this;
    this.pipeline = undefined;
    if (pipeline !== undefined) {
      this.hasRefused = false;
      this.state.close();
      const ended = pipeline.close().finally(() => {
        if (this.closing?.pipeline === pipeline) this.closing = undefined;
      });
      this.closing = { pipeline, ended };
    }
    await this.closing?.ended;
  }

  /**
   * Removes the cached answers of some flags, or of all flags if `flags` is `undefined`. Except for flags that are
   * evaluated in this process, tells OpenFeature that the values of these flags might have changed.
   */
  forget(flags?: readonly string[]): void {
    this.pipeline?.forget(flags);
    // If these flags are evaluated in this process, the provider announces only after a poll which of them have
    // changed.
    if (this.pipeline?.isHere(flags) !== true) announceChange(this.events, flags);
  }

  readonly status = (): FliptStatus => {
    const readings = (this.pipeline ?? this.closing?.pipeline)?.read();
    return statusOf(this.settings, this.state.current(), this.history, readings, this.world.clock);
  };

  private readonly defect = (error: unknown): void => {
    if (!this.hasDefect)
      this.settings.logger.error(
        `a defect of the Flipt provider, please report it: ${oneLine(messageOf(error))}`,
      );
    this.hasDefect = true;
  };

  private newPipeline(): Pipeline {
    const diagnostics = openDiagnostics(this.defect);
    // The history has to be the first listener, because another listener that calls `getStatus()` must not get old
    // counts.
    this.history.attach(diagnostics);
    const pipeline = wire(this.settings, this.state, this.world, diagnostics);
    pipeline.listen('flags-changed', ({ flags }) => {
      announceChange(this.events, flags);
    });
    this.userListeners.attach(pipeline);
    return pipeline;
  }
}

function announceChange(events: OpenFeatureEventEmitter, flags: readonly string[] | undefined): void {
  events.emit(ProviderEvents.ConfigurationChanged, flags ? { flagsChanged: [...flags] } : {});
}

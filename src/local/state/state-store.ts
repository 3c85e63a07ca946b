import { messageOf } from '../../base/text/describe.js';
import type { State } from './state.js';

/**
 * The store rejects with this error if a change could not be saved, or if the change may not survive a power failure.
 */
export class SaveError extends Error {
  override readonly name = 'SaveError';

  private constructor(
    /** Whether the change was made although saving it has failed. */
    readonly made: boolean,
    what: string,
    cause: unknown,
  ) {
    super(`the change was ${what}: ${messageOf(cause)}`, { cause });
  }

  /**
   * Returns the error for a change that was not made: the state in memory and the state on disk are the same as before.
   */
  static notMade(cause: unknown): SaveError {
    return new SaveError(false, 'not made, because it could not be saved', cause);
  }

  /** Returns the error for a change that is on disk, but that might not survive a power failure. */
  static unsure(cause: unknown): SaveError {
    return new SaveError(true, 'made, but may be lost if the machine stops suddenly', cause);
  }
}

/**
 * A function that makes the next state from the current state, and returns the next state together with the result of
 * the change. If the function throws, the state stays the same.
 */
export type Change<Result> = (state: State) => { readonly state: State; readonly result: Result };

/**
 * Saves a state so that it survives a power failure. Rejects with a {@link SaveError}, whose member `made` tells
 * whether the change was made nevertheless, or with any other error if the disk still has the old state.
 */
export type Save = (state: State) => Promise<void>;

/**
 * The only owner of the state. A change is visible, and its request is answered, only after the change is saved.
 * Changes that come during a save wait for its end, and share the next save. If the shared save fails, none of these
 * changes is made.
 */
export class Store {
  /** The state with all changes, including the changes whose save is under way or comes next. */
  private next: State;
  /**
   * Resolves when the save that is under way or comes next has ended. The result is the error of that save, or
   * `undefined` if the save has succeeded. Never rejects.
   */
  private saved: Promise<SaveError | undefined> | undefined;
  private isSaving = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    private current: State,
    private readonly save?: Save,
  ) {
    this.next = current;
  }

  get state(): State {
    return this.current;
  }

  async change<Result>(change: Change<Result>): Promise<Result> {
    const hasToWait = this.isSaving;
    while (this.isSaving) await this.saved;
    const { state, result } = change(this.next);
    this.next = state;
    if (this.save) {
      const failure = await (this.saved ??= this.saveNext(this.save, hasToWait));
      if (failure) throw failure;
    } else this.become(state);
    return result;
  }

  /** Calls `changed` after each change of the data that evaluation reads. Returns a function that stops the calls. */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  /** Resolves when no save is under way. */
  async settled(): Promise<void> {
    while (this.saved) await this.saved;
  }

  /**
   * Calls all functions that were passed to `onChange`. The overrides call this method when an override has changed;
   * the store itself calls it after a change of the state.
   */
  announce(): void {
    for (const changed of this.listeners) changed();
  }

  private become(state: State): void {
    this.current = state;
    this.announce();
  }

  private async saveNext(save: Save, hasWaited: boolean): Promise<SaveError | undefined> {
    // If this change has waited for the end of the last save, other changes might have waited, too. This pause lets the
    // other changes be made first, so that the next save includes them.
    if (hasWaited) await Promise.resolve();
    this.isSaving = true;
    const failure = await save(this.next).then(() => undefined, failureOf);
    this.isSaving = false;
    this.saved = undefined;
    // The listeners are called last, because a listener that throws must not hold up later changes.
    if (failure && !failure.made) this.next = this.current;
    else this.become(this.next);
    return failure;
  }
}

function failureOf(error: unknown): SaveError {
  return error instanceof SaveError ? error : SaveError.notMade(error);
}

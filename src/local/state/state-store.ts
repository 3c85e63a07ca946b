import { messageOf } from '../../base/text/describe.js';
import type { State } from './state.js';

/**
 * The promise of {@link Store.change} rejects with this error if a change could not be saved, or if it is not certain
 * that a saved change survives a power failure.
 */
export class SaveError extends Error {
  override readonly name = 'SaveError';

  private constructor(
    /** Is `true` if the change has taken effect, but might not survive a power failure. */
    readonly made: boolean,
    what: string,
    cause: unknown,
  ) {
    super(`the change was ${what}: ${messageOf(cause)}`, { cause });
  }

  /**
   * Creates the error for a change that has no effect: the state in memory and the state on disk are the same as
   * before.
   */
  static notMade(cause: unknown): SaveError {
    return new SaveError(false, 'not made, because it could not be saved', cause);
  }

  /** Creates the error for a change that is on disk, but that might not survive a power failure. */
  static unsure(cause: unknown): SaveError {
    return new SaveError(true, 'made, but may be lost if the machine stops suddenly', cause);
  }
}

/**
 * A change of the state: a function that takes the current state, and returns the next state together with the result
 * of the change. If the function throws, the state stays the same.
 */
export type Change<Result> = (state: State) => { readonly state: State; readonly result: Result };

/**
 * Saves a state so that the state survives a power failure. If saving fails, `save` can reject with a
 * {@link SaveError}, whose member `made` tells whether the disk has the new state nevertheless. Any other error of
 * `save` means that the disk still has the old state.
 */
export type Save = (state: State) => Promise<void>;

/**
 * Holds the state of the service. If there is a data file, a change of the state is visible, and the promise of
 * `change` resolves, only after the change is saved. Changes that come while a save is under way wait until it ends,
 * and then share the next save. If the shared save fails, none of the changes that share this save takes effect, except
 * if the disk has the new state nevertheless ({@link SaveError.made}).
 */
export class Store {
  /** The state with all changes, including changes that are not saved yet. */
  private next: State;
  /**
   * A promise that resolves when the save that is under way, or the next one, has ended. If the save fails, the promise
   * resolves with the error of the save; otherwise, with `undefined`.
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

  /**
   * Calls `changed` when the state or an override has changed. Changes that share a save lead to a single call. Returns
   * a function that stops the calls of `changed`.
   */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  /** Resolves when no save is under way. */
  async settled(): Promise<void> {
    while (this.saved) await this.saved;
  }

  /**
   * Calls all functions that were passed to `onChange`. `FlagOverrides` calls `announce` when an override has changed,
   * and the store calls `announce` when the state has changed.
   */
  announce(): void {
    for (const changed of this.listeners) changed();
  }

  private become(state: State): void {
    this.current = state;
    this.announce();
  }

  private async saveNext(save: Save, hasWaited: boolean): Promise<SaveError | undefined> {
    // If this change has waited for the end of the last save, other changes might have waited, too. The `await` lets
    // other waiting changes run before the next save begins, so that the next save includes them.
    if (hasWaited) await Promise.resolve();
    this.isSaving = true;
    const failure = await save(this.next).then(() => undefined, failureOf);
    this.isSaving = false;
    this.saved = undefined;
    // `become` comes last, because it calls the listeners, and a listener that throws must not hold up later changes.
    if (failure && !failure.made) this.next = this.current;
    else this.become(this.next);
    return failure;
  }
}

function failureOf(error: unknown): SaveError {
  return error instanceof SaveError ? error : SaveError.notMade(error);
}

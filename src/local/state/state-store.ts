import { messageOf } from '../../base/text/describe.js';
import type { State } from './state.js';

/**
 * The store rejects with this error if a change could not be saved, or if the change may not survive a power failure.
 */
export class SaveError extends Error {
  override readonly name = 'SaveError';

  private constructor(
    /** Whether the change was made nevertheless. */
    readonly made: boolean,
    what: string,
    cause: unknown,
  ) {
    super(`the change was ${what}: ${messageOf(cause)}`, { cause });
  }

  /** The change was not made: memory and disk are as before. */
  static notMade(cause: unknown): SaveError {
    return new SaveError(false, 'not made, because it could not be saved', cause);
  }

  /** The change is on disk, but may not survive a power failure. */
  static unsure(cause: unknown): SaveError {
    return new SaveError(true, 'made, but may be lost if the machine stops suddenly', cause);
  }
}

/** Makes the next state from this one, and the result of the change. A change that throws is refused. */
export type Change<Result> = (state: State) => { readonly state: State; readonly result: Result };

/**
 * Saves a state so that it survives a power failure. Rejects with a {@link SaveError}, which says whether the change
 * was made nevertheless, or with any other error if the old state is still saved.
 */
export type Save = (state: State) => Promise<void>;

/**
 * The only owner of the state. A change is visible, and its request is answered, only after the change is saved.
 * Changes that come during a save wait, and share the next save. If that fails, none of them is made.
 */
export class Store {
  /** The state with all changes of the save that is under way or comes next. */
  private next: State;
  /** Resolves when that save has ended, with its error. Never rejects. */
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

  /** Calls `changed` after each change of what is evaluated. Returns a function that stops the calls. */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  /** Resolves when no save is under way. */
  async settled(): Promise<void> {
    while (this.saved) await this.saved;
  }

  /**
   * Tells the listeners that what is evaluated has changed. The overrides call it; after its own changes, the store
   * does so itself.
   */
  announce(): void {
    for (const changed of this.listeners) changed();
  }

  private become(state: State): void {
    this.current = state;
    this.announce();
  }

  private async saveNext(save: Save, hasWaited: boolean): Promise<SaveError | undefined> {
    // If one change has waited for the last save to end, others may have, too. The other changes are made first, so
    // that this save includes them.
    if (hasWaited) await Promise.resolve();
    this.isSaving = true;
    const failure = await save(this.next).then(() => undefined, failureOf);
    this.isSaving = false;
    this.saved = undefined;
    // The listeners are called last, because one that throws must not hold up later changes.
    if (failure && !failure.made) this.next = this.current;
    else this.become(this.next);
    return failure;
  }
}

function failureOf(error: unknown): SaveError {
  return error instanceof SaveError ? error : SaveError.notMade(error);
}

import { messageOf } from '../../text/describe.js';
import type { State } from './state.js';

/** A change could not be saved, or not safely. */
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

/** Makes the next state from this one, with the result of the change. Throws to refuse the change. */
export type Change<Result> = (state: State) => { readonly state: State; readonly result: Result };

/** Saves a state so that it survives. Rejects if the old state is still saved, or with a {@link SaveError}. */
export type Save = (state: State) => Promise<void>;

/** Makes a change that has waited; `undefined` if it is refused. */
type Attempt = (state: State) => Made | undefined;

interface Made {
  readonly state: State;
  /** Answers who asked for the change. */
  readonly answer: (failure?: SaveError) => void;
}

/**
 * The only owner of the state. A change is visible, and answered, only after it is saved. Changes that come during a
 * save wait and share the next one. If that fails, none of them was made.
 */
export class Store {
  private waiting: Attempt[] = [];
  private saving: Promise<void> | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(
    private current: State,
    private readonly save?: Save,
  ) {}

  get state(): State {
    return this.current;
  }

  async change<Result>(change: Change<Result>): Promise<Result> {
    const { save } = this;
    if (!save) {
      const { state, result } = change(this.current);
      this.become(state);
      return result;
    }
    return new Promise((resolve, reject) => {
      const refuse: (reason: unknown) => void = reject;
      this.waiting.push((before) => {
        try {
          const { state, result } = change(before);
          const answer = (failure?: SaveError): void => {
            if (failure) refuse(failure);
            else resolve(result);
          };
          return { state, answer };
        } catch (error) {
          refuse(error);
          return undefined;
        }
      });
      this.saving ??= this.saveWaiting(save);
    });
  }

  /** Calls `changed` after each change of what is evaluated. Returns a function that stops the calls. */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  /** Resolves when no save is under way. */
  async settled(): Promise<void> {
    await this.saving;
  }

  /** Overrides have changed what is evaluated. The store does so after its own changes. */
  announce(): void {
    for (const changed of this.listeners) changed();
  }

  private become(state: State): void {
    this.current = state;
    this.announce();
  }

  private async saveWaiting(save: Save): Promise<void> {
    while (this.waiting.length > 0) {
      let next = this.current;
      const made = this.waiting.splice(0).flatMap((attempt) => {
        const after = attempt(next);
        next = after?.state ?? next;
        return after ?? [];
      });
      // It waits in any case, or `saving` would be set after it is cleared.
      const failure = await (next === this.current ? undefined : this.saved(next, save));
      for (const { answer } of made) answer(failure);
    }
    this.saving = undefined;
  }

  private async saved(next: State, save: Save): Promise<SaveError | undefined> {
    try {
      await save(next);
      this.become(next);
      return undefined;
    } catch (error) {
      const failure = error instanceof SaveError ? error : SaveError.notMade(error);
      if (failure.made) this.become(next);
      return failure;
    }
  }
}

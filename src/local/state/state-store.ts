import type { State } from './records.js';
import { SaveError } from './save-error.js';

/** Makes the next state from this one, with the result of the change. Throws to refuse the change. */
export type Change<Result> = (state: State) => { readonly state: State; readonly result: Result };

/** Saves a state so that it survives. Rejects if the old state is still saved, or with a {@link SaveError}. */
export type Save = (state: State) => Promise<void>;

interface Waiting {
  /** Applies the change and returns the next state, or `undefined` if the change is refused. */
  readonly apply: (state: State) => State | undefined;
  readonly done: () => void;
  readonly failed: (error: SaveError) => void;
}

/**
 * The only owner of the state. A change is visible, and answered, only after it is saved. Changes that come during a
 * save wait and share the next one. If that fails, none of them was made.
 */
export class Store {
  private waiting: Waiting[] = [];
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
    if (!this.save) {
      const { state, result } = change(this.current);
      this.become(state);
      return result;
    }
    return new Promise((resolve, reject) => {
      this.waiting.push(waitingFor(change, resolve, reject));
      this.saving ??= this.saveAll();
    });
  }

  /** Calls `changed` after each change. Returns a function that stops it. */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  /** Resolves when no save is under way. */
  async settled(): Promise<void> {
    await this.saving;
  }

  private become(state: State): void {
    this.current = state;
    for (const changed of this.listeners) changed();
  }

  private async saveAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      await this.saveGroup(group);
    }
    this.saving = undefined;
  }

  private async saveGroup(group: readonly Waiting[]): Promise<void> {
    let next = this.current;
    const accepted = group.filter(({ apply }) => {
      const state = apply(next);
      next = state ?? next;
      return state !== undefined;
    });
    if (accepted.length === 0) return;
    try {
      await this.save?.(next);
      this.become(next);
      for (const { done } of accepted) done();
    } catch (error) {
      const failure = error instanceof SaveError ? error : SaveError.notMade(error);
      if (failure.made) this.become(next);
      for (const { failed } of accepted) failed(failure);
    }
  }
}

function waitingFor<Result>(
  change: Change<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Waiting {
  let done = (): void => undefined;
  return {
    apply(state) {
      try {
        const changed = change(state);
        done = () => {
          resolve(changed.result);
        };
        return changed.state;
      } catch (error) {
        reject(error);
        return undefined;
      }
    },
    done: () => {
      done();
    },
    failed: reject,
  };
}

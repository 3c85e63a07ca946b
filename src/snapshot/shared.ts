import { messageOf, oneLine } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import { inTime } from '../base/time/in-time.js';
import type { SharedSnapshot, SnapshotPlace } from '../options/snapshot-store.js';
import type { AskFlipt } from './ask-flipt.js';
import type { CurrentlyKnown, Turn, Wanted } from './keep-flags.js';
import type { StoreReading, TextStore } from './save.js';
import { hasFlags, type Confirmed, type Known } from './snapshot.js';
import { readSnapshotText, snapshotText } from './text.js';

const CALL_MS = 1_000;
/** For a call that transfers a whole text. */
const TEXT_MS = 5_000;
const LEASE_POLLS = 1.5;
const HEARTBEAT_POLLS = 2;
const YIELD_POLLS = 3;

/**
 * One instance of a fleet polls Flipt, and the others take what it has found. The store decides who, and no machine's clock
 * is compared with another's. Whatever goes wrong with the store, an instance polls by itself.
 */
export class SharedPolls {
  /** The digest of the text in the store. */
  private storedDigest: string | undefined;
  private shared: SharedSnapshot | undefined;
  private began = -Infinity;
  private hasPolled = false;
  private yieldUntil = -Infinity;
  private isFailing = false;
  private savedAt: number | undefined;

  constructor(
    private readonly open: () => SharedSnapshot,
    private readonly texts: TextStore,
    private readonly flipt: Pick<AskFlipt, 'ask'>,
    private readonly place: SnapshotPlace,
    private readonly pollMs: number,
    private readonly warn: (message: string) => void,
    private readonly clock: Clock,
  ) {}

  read(): StoreReading {
    return { isFailing: this.isFailing, savedAt: this.savedAt };
  }

  async turn(current: CurrentlyKnown, wanted: Wanted | undefined): Promise<Turn> {
    const known = current();
    this.began = this.clock.now();
    this.hasPolled = false;
    const found = wanted === undefined ? await this.guarded(() => this.ofOthers(known)) : undefined;
    if (found !== undefined) return found;
    const turn = await this.flipt.ask(current, wanted);
    this.hasPolled = turn.kind !== 'failed';
    // Another instance may have a better way to Flipt. Until one has the lease, this one goes on by itself.
    this.yieldUntil = this.hasPolled ? -Infinity : this.clock.now() + YIELD_POLLS * this.pollMs;
    return turn;
  }

  /** Tells the others what this instance has polled, once it is in force. */
  confirmed(confirmed: Confirmed): void {
    // After a pause of this process, another instance may have announced something newer.
    const isLate = this.clock.now() - this.began > LEASE_POLLS * this.pollMs;
    if (!this.hasPolled || isLate) return;
    void this.guarded(async () => {
      const digest = await confirmed.snapshot.flags.digest(this.clock);
      // A store that has lost its heartbeat may have lost the text, too.
      const isNew =
        digest !== this.storedDigest || (await this.limited((shared) => shared.look())) !== digest;
      const text = isNew ? await snapshotText(confirmed, this.place, this.clock) : undefined;
      await this.limited(
        (shared) => shared.announce(digest, HEARTBEAT_POLLS * this.pollMs, text),
        isNew ? TEXT_MS : CALL_MS,
      );
      this.storedDigest = digest;
      if (isNew) this.savedAt = this.clock.date();
      return true;
    });
  }

  /** `undefined` if this instance has to poll. */
  private async ofOthers(known: Known | undefined): Promise<Turn | undefined> {
    const isYielding = this.clock.now() < this.yieldUntil;
    const hasLease = !isYielding && (await this.limited((shared) => shared.claim(LEASE_POLLS * this.pollMs)));
    if (hasLease) return undefined;
    const digest = await this.limited((shared) => shared.look());
    if (digest === undefined) return isYielding ? undefined : { kind: 'no-news' };
    const own = await known?.snapshot.flags.digest(this.clock);
    if (digest === own) return { kind: 'unchanged' };
    const { text } = await this.limited(() => this.texts.load(), TEXT_MS);
    if (typeof text !== 'string') return undefined;
    const { snapshot, etag } = await readSnapshotText(text, this.place, this.clock);
    this.storedDigest = await snapshot.flags.digest(this.clock);
    // The text of the heartbeat is lost.
    if (this.storedDigest === own) return undefined;
    // Whether an emptiness is news, an instance that has flags finds out for itself.
    if (known && hasFlags(known.snapshot) && !hasFlags(snapshot)) return undefined;
    return { kind: 'snapshot', snapshot, etag, wholeMs: 0 };
  }

  private limited<T>(call: (shared: SharedSnapshot) => Promise<T>, withinMs = CALL_MS): Promise<T> {
    const late = () => new Error(`no answer within ${withinMs} ms`);
    // The user's functions may throw, and `shared` may give a promise in spite of its type.
    const called = async () => call((this.shared ??= await Promise.resolve(this.open())));
    return inTime(called(), withinMs, this.clock, late, 'background');
  }

  private async guarded<T>(calls: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await calls();
      // A lease alone proves little: Redis may take a lease and refuse a text.
      if (result !== undefined && this.isFailing) {
        this.isFailing = false;
        this.warn(`${this.texts.name} works again: the snapshot is shared`);
      }
      return result;
    } catch (error) {
      const why = oneLine(messageOf(error));
      if (!this.isFailing)
        this.warn(`${this.texts.name} could not share the snapshot: ${why}; the provider polls by itself`);
      this.isFailing = true;
      return undefined;
    }
  }
}

import type { Failure } from '../failure.js';
import type { Question, UnreadableFlag } from '../answer.js';
import type { FliptEvent, FliptEventType, Problem } from './flipt-event.js';

/** Each problem with the failure that it began with. */
export type Problems = ReadonlyMap<Problem, Failure>;

/** The flags that a new snapshot does not have any more, if they are most of a namespace's flags. */
export interface LostHalf {
  readonly keys: readonly string[];
  /** How many flags the snapshot before this one had. */
  readonly of: number;
}

/** What the provider knows about a namespace after it has accepted that the namespace has no flags any more. */
export interface Emptied {
  /** How many flags the snapshot before this one had. */
  readonly flags: number;
  /**
   * Why the provider believes Flipt that the namespace is empty, or `undefined` if another instance has decided this.
   */
  readonly because: string | undefined;
}

interface WithFailure {
  readonly failure: Failure | undefined;
}

/**
 * What layers report inside the provider, besides the members of a {@link FliptEvent} or in place of them. Questions
 * and texts must not leave the provider.
 */
interface Inside {
  /** The event holds the question in place of the flag. */
  readonly miss: { readonly question: Question; readonly flag?: never };
  /** The event also says whether nobody accepted a connection at the address of the service. */
  readonly attempt: { readonly isRefused?: boolean };
  readonly 'circuit-changed': WithFailure;
  /** Each problem comes with the failure that it began with. */
  readonly 'health-changed': { readonly before: Problems; readonly after: Problems };
  readonly 'credentials-refreshed': WithFailure;
  readonly shed: { readonly failure: Failure };
  /** `emptied` is `undefined` unless this poll has emptied the namespace. */
  readonly 'snapshot-polled': WithFailure & { readonly emptied?: Emptied | undefined };
  readonly 'watch-changed': WithFailure;
  /** The event says why changes are seen late, or `undefined` if changes are no longer seen late. */
  readonly 'watch-slowed': { readonly why: string | undefined; readonly isLate?: never };
  /**
   * `lostHalf` is `undefined` unless more than half of at least ten flags are gone; `emptied` is `undefined` unless all
   * flags are gone and the provider has accepted this.
   */
  readonly 'flags-changed': {
    readonly lostHalf?: LostHalf | undefined;
    readonly emptied?: Emptied | undefined;
  };
  /** For the key of each unreadable flag, the event has the reason why the flag is unreadable. */
  readonly 'flags-unreadable': { readonly flags: ReadonlyMap<string, UnreadableFlag> };
  readonly 'namespace-suspect': WithFailure;
  /** The event has the names of the question's attributes. */
  readonly 'bucket-shared': { readonly attributes: readonly string[] };
  /**
   * The event says how many resolves had none of the attributes, which names the flag compares, and which names the
   * contexts have.
   */
  readonly 'attributes-missing': {
    readonly resolves: number;
    readonly compared: readonly string[];
    readonly given: readonly string[];
    readonly holders: readonly Holder[];
  };
  readonly 'stream-changed': { readonly why: string };
}

/** An attribute whose value is an object that has a member of this name. */
export interface Holder {
  readonly holder: string;
  readonly name: string;
}

/** The event of one type, as layers report it. */
export type EventOf<Type extends FliptEventType> = Type extends keyof Inside
  ? Inside[Type] & Omit<FliptEvent & { readonly type: Type }, keyof Inside[Type]>
  : FliptEvent & { readonly type: Type };

/** What layers report, named by `type`. All times are in milliseconds. */
export type DiagnosticEvent = EventOf<FliptEventType>;

const whole = <Event>(event: Event) => event;
const withKind = <Event extends WithFailure>(event: Event) => ({ ...event, failure: event.failure?.kind });

/**
 * For each type, the function that makes what a listener receives from an event. A listener receives no questions,
 * because they hold contexts, and no messages, because they might quote what Flipt or a gateway wrote.
 */
const OUTSIDE: { readonly [Type in FliptEventType]: (event: EventOf<Type>) => FliptEvent } = {
  resolved: whole,
  hit: whole,
  'stale-hit': whole,
  joined: whole,
  miss: ({ type, question }) => ({ type, flag: question.flag }),
  'batch-sent': whole,
  attempt: ({ type, failure, durationMs }) => ({ type, failure, durationMs }),
  retry: whole,
  'circuit-changed': withKind,
  'health-changed': ({ before, after, ...event }) => ({
    ...event,
    before: [...before.keys()],
    after: [...after.keys()],
  }),
  'credentials-refreshed': withKind,
  'isolation-started': whole,
  'isolation-finished': whole,
  shed: ({ type, reason, questions }) => ({ type, reason, questions }),
  'snapshot-polled': ({ type, failure, durationMs }) => ({ type, failure: failure?.kind, durationMs }),
  'watch-changed': withKind,
  'watch-slowed': ({ type, seenWithinMs, why }) => ({ type, isLate: why !== undefined, seenWithinMs }),
  // The event gets a copy of the list, which belongs to the layers.
  'flags-changed': ({ type, flags }) => ({ type, flags: [...flags] }),
  'versions-alternate': ({ type, flags }) => ({ type, flags: [...flags] }),
  'flags-unreadable': ({ type, flags }) => ({ type, flags: [...flags.keys()] }),
  'flags-repeated': ({ type, flags }) => ({ type, flags: [...flags] }),
  'namespace-suspect': withKind,
  'flag-key-suspect': whole,
  'bucket-shared': ({ type, flag }) => ({ type, flag }),
  'attributes-missing': ({ type, flag }) => ({ type, flag }),
  'stream-changed': ({ type, state }) => ({ type, state }),
  'tracking-sent': whole,
  'tracking-lost': whole,
  closed: whole,
};

/** All types of events, each once. */
export const EVENT_TYPES = Object.keys(OUTSIDE) as readonly FliptEventType[];

/** Returns what a listener receives of an event. */
export function fliptEvent<Type extends FliptEventType>(
  event: EventOf<Type> & { readonly type: Type },
): FliptEvent {
  return OUTSIDE[event.type](event);
}

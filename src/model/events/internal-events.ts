import type { Failure } from '../failure.js';
import type { UnreadableFlag } from '../answer.js';
import type { FliptEvent, FliptEventType, Problem } from './flipt-event.js';

/** All present problems, each with a failure that explains the problem. */
export type Problems = ReadonlyMap<Problem, Failure>;

/** Describes a new snapshot in which more than half of the flags of the previous snapshot are missing. */
export interface LostHalf {
  readonly keys: readonly string[];
  /** How many flags the previous snapshot had. */
  readonly of: number;
}

/** Describes a namespace after the provider has accepted that the namespace has no flags any more. */
export interface Emptied {
  /** How many flags the previous snapshot had. */
  readonly flags: number;
  /**
   * Why the provider accepts that the namespace is empty, or `undefined` if another instance of the app has decided so.
   */
  readonly because: string | undefined;
}

interface WithFailure {
  readonly failure: Failure | undefined;
}

/**
 * The members that an event has only inside the provider. The members of `Inside` are added to the members of the
 * public {@link FliptEvent}, or replace members of the same name. The members of `Inside` do not leave the provider,
 * because questions and error messages must not reach listeners of the app.
 */
interface Inside {
  /** `isRefused` says that no program listens at Flipt's address, so that the connection was refused. */
  readonly attempt: { readonly isRefused?: boolean };
  readonly 'credentials-refreshed': WithFailure;
  /** `emptied` is set if this poll made the provider accept that the namespace has no flags any more. */
  readonly 'snapshot-polled': WithFailure & { readonly emptied?: Emptied | undefined };
  readonly 'watch-changed': WithFailure;
  /** `why` says why the provider sees changes late, or is `undefined` if the provider no longer sees changes late. */
  /**
   * `lostHalf` is set if the namespace had at least ten flags and more than half of these flags are gone. `emptied` is
   * set if all flags are gone and the provider has accepted that the namespace is empty.
   */
  readonly 'flags-changed': {
    readonly lostHalf?: LostHalf | undefined;
    readonly emptied?: Emptied | undefined;
  };
  /** `flags` maps the key of each unreadable flag to the reason why the flag is unreadable. */
  readonly 'flags-unreadable': { readonly flags: ReadonlyMap<string, UnreadableFlag> };
  readonly 'namespace-suspect': WithFailure;
  readonly 'stream-changed': { readonly why: string };
}

/** An event of one type, as the layers of the provider report it. */
export type EventOf<Type extends FliptEventType> = Type extends keyof Inside
  ? Inside[Type] & Omit<FliptEvent & { readonly type: Type }, keyof Inside[Type]>
  : FliptEvent & { readonly type: Type };

/** Any event that the layers of the provider report. All durations in events are in milliseconds. */
export type DiagnosticEvent = EventOf<FliptEventType>;

const whole = <Event>(event: Event) => event;
const withKind = <Event extends WithFailure>(event: Event) => ({ ...event, failure: event.failure?.kind });

/**
 * For each type of event, the function that turns an event of the provider's layers into the event for listeners of the
 * app. Listeners of the app receive no questions, because questions contain contexts. Listeners of the app receive no
 * error messages, because a message can quote text from Flipt or from a gateway.
 */
const OUTSIDE: { readonly [Type in FliptEventType]: (event: EventOf<Type>) => FliptEvent } = {
  resolved: whole,
  hit: whole,
  'stale-hit': whole,
  joined: whole,
  miss: whole,
  'batch-sent': whole,
  attempt: ({ type, failure, durationMs }) => ({ type, failure, durationMs }),
  retry: whole,
  'circuit-changed': whole,
  'health-changed': whole,
  'credentials-refreshed': withKind,
  'isolation-started': whole,
  'isolation-finished': whole,
  shed: whole,
  'snapshot-polled': ({ type, failure, durationMs }) => ({ type, failure: failure?.kind, durationMs }),
  'watch-changed': withKind,
  // A listener gets a copy of the list of flags, because the list itself belongs to the layers of the provider.
  'flags-changed': ({ type, flags }) => ({ type, flags: [...flags] }),
  'flags-unreadable': ({ type, flags }) => ({ type, flags: [...flags.keys()] }),
  'flags-repeated': ({ type, flags }) => ({ type, flags: [...flags] }),
  'namespace-suspect': withKind,
  'flag-key-suspect': whole,
  'bucket-shared': whole,
  'stream-changed': ({ type, state }) => ({ type, state }),
  'tracking-sent': whole,
  'tracking-lost': whole,
  closed: whole,
};

/** The list of all types of events. */
export const EVENT_TYPES = Object.keys(OUTSIDE) as readonly FliptEventType[];

/** Turns an event of the provider's layers into the event for listeners of the app. */
export function fliptEvent<Type extends FliptEventType>(
  event: EventOf<Type> & { readonly type: Type },
): FliptEvent {
  return OUTSIDE[event.type](event);
}

import type { Failure } from '../failure.js';
import type { Question, UnreadableFlag } from '../answer.js';
import type { FliptEvent, FliptEventType, Problem } from './flipt-event.js';

/** Each problem with the failure that it began with. */
export type Problems = ReadonlyMap<Problem, Failure>;

/** Most of a namespace's flags that a new snapshot does not have any more. */
export interface LostHalf {
  readonly keys: readonly string[];
  /** How many flags there were. */
  readonly of: number;
}

interface WithFailure {
  readonly failure: Failure | undefined;
}

/**
 * What the layers report besides a {@link FliptEvent}, or in place of its members: questions and texts, which must not
 * leave the provider.
 */
interface Inside {
  /** The question, in place of its flag. */
  readonly miss: { readonly question: Question; readonly flag?: never };
  readonly 'circuit-changed': WithFailure;
  /** With the failure that each problem began with. */
  readonly 'health-changed': { readonly before: Problems; readonly after: Problems };
  readonly 'credentials-refreshed': WithFailure;
  readonly shed: { readonly failure: Failure };
  readonly 'snapshot-polled': WithFailure;
  readonly 'watch-changed': WithFailure;
  /** With the reason; `undefined` if they are no longer late. */
  readonly 'watch-slowed': { readonly why: string | undefined; readonly isLate?: never };
  /** `lostHalf`: `undefined` unless more than half of at least ten flags are gone. */
  readonly 'flags-changed': { readonly lostHalf?: LostHalf | undefined };
  /** With the reason of each flag, by key. */
  readonly 'flags-unreadable': { readonly flags: ReadonlyMap<string, UnreadableFlag> };
  readonly 'namespace-suspect': WithFailure;
  /** The names of the question's attributes. */
  readonly 'bucket-shared': { readonly attributes: readonly string[] };
  /** How many resolves those were, and the names that the flag compares, and that the contexts have. */
  readonly 'attributes-missing': {
    readonly resolves: number;
    readonly compared: readonly string[];
    readonly given: readonly string[];
  };
  readonly 'stream-changed': { readonly why: string };
}

/** The event of one type. */
export type EventOf<Type extends FliptEventType> = Type extends keyof Inside
  ? Inside[Type] & Omit<FliptEvent & { readonly type: Type }, keyof Inside[Type]>
  : FliptEvent & { readonly type: Type };

/** What the layers report, named by `type`. Times are milliseconds. */
export type DiagnosticEvent = EventOf<FliptEventType>;

const whole = <Event>(event: Event) => event;
const withKind = <Event extends WithFailure>(event: Event) => ({ ...event, failure: event.failure?.kind });

/**
 * What a listener receives of each event: no questions, because they hold contexts, and no messages, because they may
 * quote what Flipt or a gateway wrote.
 */
const OUTSIDE: { readonly [Type in FliptEventType]: (event: EventOf<Type>) => FliptEvent } = {
  resolved: whole,
  hit: whole,
  'stale-hit': whole,
  joined: whole,
  miss: ({ type, question }) => ({ type, flag: question.flag }),
  'batch-sent': whole,
  attempt: whole,
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
  'snapshot-polled': withKind,
  'watch-changed': withKind,
  'watch-slowed': ({ type, seenWithinMs, why }) => ({ type, isLate: why !== undefined, seenWithinMs }),
  // A copy: the list belongs to the layers.
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

/** Every type once. */
export const EVENT_TYPES = Object.keys(OUTSIDE) as readonly FliptEventType[];

/** What a listener receives of this event. */
export function fliptEvent<Type extends FliptEventType>(
  event: EventOf<Type> & { readonly type: Type },
): FliptEvent {
  return OUTSIDE[event.type](event);
}

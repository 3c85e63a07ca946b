import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isRecord, kindOf, kindReturned, messageOf, oneLine, quoted } from '../../base/text/describe.js';
import type { Runtime } from '../../model/runtime.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { ExposureEvent, TrackingEvent, TrackingSettings } from '../../options/tracking-options.js';
import { Sender } from './sender.js';

const MOST_REMEMBERED = 10_000;
const MOST_REMEMBERED_CHARACTERS = 4 * 1024 * 1024;
const MOST_CHARACTERS_OF_EVENT = 64 * 1024;

export type Context = Readonly<Record<string, unknown>>;

/** What tracking reads of OpenFeature's resolution details. */
export interface Details {
  readonly variant?: string;
  readonly reason?: string;
  readonly flagMetadata?: { readonly [name: string]: unknown };
}

export type Tracking = ReturnType<typeof openTracking>;

/** Makes events of the variants that users got and of `client.track`. Nothing here throws or rejects. */
export function openTracking(
  { send, attributes, flags, onceForMs, user = (targetingKey) => targetingKey }: TrackingSettings,
  { namespace, environment, logger }: Pick<ProviderSettings, 'namespace' | 'environment' | 'logger'>,
  targetingKeyOf: (context: Context) => string,
  runtime: Pick<Runtime, 'clock' | 'random' | 'report'>,
) {
  const { clock } = runtime;
  const sender = new Sender(send, logger.warn, runtime);
  const isChosen = choice(flags, logger.warn);
  let hasWarnedOfNobody = false;
  /** Flag, variant and user of an exposure, and when it was made. */
  const exposures = new LRUCache<string, number>({
    max: MOST_REMEMBERED,
    maxSize: MOST_REMEMBERED_CHARACTERS,
    sizeCalculation: (_, exposure) => exposure.length,
  });

  const base = (context: Context) => ({
    id: randomUUID(),
    time: new Date(clock.date()).toISOString(),
    attributes: attributesOf(context, attributes),
  });
  const add = (make: () => TrackingEvent, exposure?: string) => {
    try {
      const event = make();
      const json = JSON.stringify(event);
      if (json.length > MOST_CHARACTERS_OF_EVENT)
        throw new Error(`an event has more than ${MOST_CHARACTERS_OF_EVENT} characters`);
      // An exposure that is lost may be made again.
      if (exposure !== undefined) exposures.set(exposure, clock.now());
      const dropped = exposure === undefined ? undefined : () => exposures.delete(exposure);
      sender.add({ kind: event.kind, json, dropped });
    } catch (error) {
      sender.lost(1, oneLine(messageOf(error)));
    }
  };

  return {
    exposed(
      flagKey: string,
      details: Details,
      context: Context,
      valueType: ExposureEvent['valueType'],
    ): void {
      const { variant } = details;
      // A caller that got its own default has no variant.
      if (variant === undefined || !isChosen(flagKey)) return;
      const targetingKey = targetingKeyOf(context);
      if (targetingKey === '') return;
      const exposure = `${flagKey}\0${variant}\0${targetingKey}`;
      const last = exposures.get(exposure);
      if (last !== undefined && clock.now() - last < onceForMs) return;
      const version = details.flagMetadata?.version;
      add(
        () => ({
          kind: 'exposure',
          ...base(context),
          targetingKey: textFrom(user, targetingKey),
          flagKey,
          variant,
          valueType,
          reason: details.reason ?? 'UNKNOWN',
          namespace,
          ...(environment !== undefined && { environment }),
          ...(typeof version === 'string' && { version }),
        }),
        exposure,
      );
    },
    track(name: unknown, context: Context, details: unknown): void {
      add(() => {
        if (typeof name !== 'string') throw new Error(`track: expected a name, got ${kindOf(name)}`);
        if (!isRecord(details))
          throw new Error(`track: expected details in an object, got ${kindOf(details)}`);
        const targetingKey = targetingKeyOf(context);
        // OpenFeature runs no hooks for track, so a context that only a hook adds is not there.
        if (targetingKey === '' && !hasWarnedOfNobody) logger.warn(nobody(name));
        hasWarnedOfNobody ||= targetingKey === '';
        return {
          kind: 'track',
          ...base(context),
          name,
          ...(targetingKey !== '' && { targetingKey: textFrom(user, targetingKey) }),
          details: plainCopy(details),
        };
      });
    },
    flush: () => sender.flush(),
    close: () => {
      sender.close();
    },
    read: () => ({ waiting: sender.size, isFailing: sender.isFailing }),
  };
}

const nobody = (name: string) =>
  `track(${quoted(name)}): the event is of no user, because its context has no targetingKey (warned only once): ` +
  'pass the context to client.track, in Nest contextFactory()';

function choice(flags: TrackingSettings['flags'], warn: (message: string) => void) {
  if (flags === undefined) return () => true;
  if (typeof flags !== 'function') {
    const keys: ReadonlySet<string> = new Set(flags);
    return (flagKey: string) => keys.has(flagKey);
  }
  let hasFailed = false;
  return (flagKey: string): boolean => {
    try {
      const answer: unknown = flags(flagKey);
      if (typeof answer === 'boolean') return answer;
      throw new Error(`expected true or false, got ${kindReturned(answer)}`);
    } catch (error) {
      if (!hasFailed) warn(`tracking.flags failed (warned only once): ${oneLine(messageOf(error))}`);
      hasFailed = true;
      return false;
    }
  };
}

function textFrom(user: (targetingKey: string) => string, targetingKey: string): string {
  const text: unknown = user(targetingKey);
  // An async `tracking.user` returns a promise, which JSON would write as `{}`.
  if (typeof text !== 'string')
    throw new Error(`tracking.user: expected a string, got ${kindReturned(text)}`);
  return text;
}

function attributesOf(context: Context, names: readonly string[]) {
  const own = names.filter((name) => Object.hasOwn(context, name));
  return plainCopy(Object.fromEntries(own.map((name) => [name, context[name]])));
}

/** A bigint becomes text. Throws for what JSON cannot write, such as a cycle. */
function plainCopy(value: object): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
  return JSON.parse(json) as Readonly<Record<string, unknown>>;
}

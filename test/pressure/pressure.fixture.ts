import { OpenFeatureEventEmitter, ProviderEvents } from '@openfeature/server-sdk';
import { providerSettings } from '../../src/options/settings.js';
import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { CONNECT_MS } from '../../src/http/dispatcher.js';
import { pipelineOf } from '../provider/pipeline.fixture.js';
import { manualClock, type ManualClock } from '../clock.fixture.js';
import { scriptedService, type Script, type ScriptedService } from './scripted-service.fixture.js';

/** The outcomes of questions, by the second in which they were asked, counted from the first question. */
export interface Asked {
  readonly flag: string;
  readonly entity: string;
  readonly second: number;
  readonly outcome: 'answered' | 'default';
  readonly message: string;
}

/** Returns the questions of a step that lasts this many milliseconds. */
export type Offer = (ms: number) => readonly (readonly [flag: string, entity: string])[];

export interface PressedProvider {
  readonly events: string[];
  readonly log: string[];
  readonly asked: Asked[];
  /** Asks a question now. The outcome is added to `asked` when it is known. */
  readonly ask: (flag: string, entity: string) => void;
  readonly close: () => Promise<void>;
}

export interface Pressed extends PressedProvider {
  readonly clock: ManualClock;
  readonly service: ScriptedService;
  readonly join: (service?: ScriptedService) => Promise<PressedProvider>;
}

/** Makes a provider with default options, on the injected clock, in front of a scripted service. */
export async function pressed(script: Script, options: FliptProviderOptions = {}): Promise<Pressed> {
  const clock = manualClock();
  const service = scriptedService(clock, script);
  const join = () => started(clock, service, options);
  return { clock, service, join, ...(await join()) };
}

async function started(
  clock: ManualClock,
  service: ScriptedService,
  options: FliptProviderOptions,
): Promise<PressedProvider> {
  const events: string[] = [];
  const log: string[] = [];
  const asked: Asked[] = [];
  const note = (line: string) => {
    // These tests ask each question only once, so a warning about the hit rate is expected.
    if (!line.includes('look-ups')) log.push(line);
  };
  const settings = providerSettings({
    ...options,
    logger: { error: note, warn: note, info: () => undefined, debug: () => undefined },
    http: { ...options.http, dispatcher: service.dispatcher },
  });
  // A dispatcher does not show when it has connected: an attempt has both times together.
  const http = { ...settings.http, timeoutMs: settings.http.timeoutMs - CONNECT_MS };
  const emitter = new OpenFeatureEventEmitter();
  for (const event of [ProviderEvents.Ready, ProviderEvents.Stale, ProviderEvents.Error]) {
    emitter.addHandler(event, () => events.push(event));
  }
  const running = pipelineOf({ ...settings, http }, clock, () => 0.5, emitter);
  const starting = running.start();
  await clock.advance(settings.initTimeoutMs);
  await starting;
  let since: number | undefined;
  const ask = (flag: string, entity: string) => {
    since ??= clock.now();
    const second = Math.floor((clock.now() - since) / 1_000);
    const resolution = running.evaluate(flag, Object.freeze({ targetingKey: entity }));
    void Promise.resolve(resolution).then(({ answer }) => {
      const message = answer.kind === 'failed' ? answer.failure.message : '';
      asked.push({
        flag,
        entity,
        second,
        outcome: answer.kind === 'failed' ? 'default' : 'answered',
        message,
      });
    });
  };
  return { events, log, asked, ask, close: running.close };
}

/** Questions arrive in groups, as they do when a server is busy. */
export const STEP_MS = 5;

/** Asks the questions of `offer`, and waits for the last outcomes. */
export async function offered(
  clock: ManualClock,
  ms: number,
  ask: PressedProvider['ask'],
  offer: Offer,
): Promise<void> {
  for (let at = 0; at < ms; at += STEP_MS) {
    for (const [flag, entity] of offer(at)) ask(flag, entity);
    await clock.advance(STEP_MS);
  }
  await clock.advance(2_000);
}

/** Offers this many questions a second, each for another entity, about 40 flags in turn. */
export function steadily(perSecond: number, prefix = 'user', flags = 40): Offer {
  let asked = 0;
  let due = 0;
  return () => {
    due += (perSecond * STEP_MS) / 1_000;
    const some: (readonly [string, string])[] = [];
    for (; asked + 1 <= due; asked++) some.push([`flag-${asked % flags}`, `${prefix}-${asked}`]);
    return some;
  };
}

/** Returns the share of the questions that were answered. */
export function share(asked: readonly Asked[]): number {
  return asked.filter(({ outcome }) => outcome === 'answered').length / asked.length;
}

export function shares(asked: readonly Asked[]): readonly number[] {
  const seconds = 1 + Math.max(...asked.map(({ second }) => second));
  return Array.from({ length: seconds }, (_, at) => share(asked.filter(({ second }) => second === at)));
}

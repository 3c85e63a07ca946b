import { OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { expect, onTestFinished } from 'vitest';
import type { FliptProviderOptions } from '../../../src/index.js';
import { providerSettings } from '../../../src/options/settings.js';
import { Lifecycle } from '../../../src/provider/lifecycle.js';
import { manualClock } from '../../clock.fixture.js';
import { answerJson, type Script } from '../../servers/scripted.fixture.js';
import { recordingLogger } from '../open.fixture.js';
import { eventually } from '../../eventually.fixture.js';

/** Makes the lifecycle of a provider, with a clock that the test advances. */
export const living = (options: FliptProviderOptions) => {
  const clock = manualClock();
  const settings = providerSettings({ logger: recordingLogger(), http: { retries: 0 }, ...options }, {});
  const lifecycle = new Lifecycle(settings, new OpenFeatureEventEmitter(), { clock, random: () => 0.5 });
  onTestFinished(() => lifecycle.close());
  const resolve = (flag: string, targetingKey: string) =>
    lifecycle.current()?.evaluate(flag, { targetingKey });
  /** Real sockets take real time. */
  const ended = async <T>(coming: Promise<T> | T | undefined): Promise<T | undefined> => {
    const end = Promise.resolve(coming);
    const underWay = new Set([end]);
    void end.finally(() => {
      underWay.clear();
    });
    while (underWay.size > 0) {
      await clock.settle();
      await new Promise(setImmediate);
    }
    return end;
  };
  /** Waits until no request is under way. */
  const idle = () =>
    eventually(async () => {
      await clock.settle();
      expect(lifecycle.status().requests.inFlight).toBe(0);
    });
  /** Advances the clock step by step until `done`, but never while a request is under way, so that none times out. */
  const turnUntil = async (stepMs: number, done: () => boolean) => {
    await idle();
    while (!done()) {
      await clock.advance(stepMs);
      await idle();
    }
  };
  return {
    clock,
    lifecycle,
    ended,
    idle,
    turnUntil,
    resolve: (flag: string, user: string) => ended(resolve(flag, user)),
  };
};

export const failing: Script = (_, response) => {
  answerJson(response, { code: 14, message: 'down' }, 503);
};
/** Serves a snapshot of these boolean flags, with their number as its ETag. */
export const withSnapshot =
  (flags: readonly string[], others: readonly object[] = []): Script =>
  (_, response) => {
    const body = { namespace: { key: 'default' }, flags: [...flags.map(flagNamed), ...others] };
    response.setHeader('etag', `tag-${flags.length}`);
    answerJson(response, body);
  };
const flagNamed = (key: string) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: true });

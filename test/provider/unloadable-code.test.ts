import { OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { providerSettings } from '../../src/options/settings.js';
import { openLifecycle } from '../../src/provider/lifecycle.js';
import { manualClock } from '../clock.fixture.js';
import { eventually } from '../eventually.fixture.js';
import { refusedAddress } from './open.fixture.js';

const SNAPSHOTS = '../../src/snapshot/snapshot-source.js';
const { gone } = vi.hoisted(() => ({
  gone: () => {
    throw Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
}));
vi.mock('../../src/snapshot/snapshot-source.js', gone);

/** A provider without a service. By default, its only source of flags is the snapshot of the options. */
function offline(more: FliptProviderOptions = {}) {
  const lines: string[] = [];
  const note = (line: unknown) => void lines.push(String(line));
  const clock = manualClock();
  const initial = { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };
  const options = { evaluation: 'in-process', watch: false, snapshot: { initial } } as const;
  const logger = { error: note, warn: note, info: note, debug: () => undefined };
  const settings = providerSettings({ ...options, logger, ...more }, {});
  const life = openLifecycle(settings, new OpenFeatureEventEmitter(), { clock, random: () => 0.5 });
  return { life, lines, clock };
}

it('says that changes are not watched, if they would be; loads nothing after the close', async () => {
  const { life, lines, clock } = offline({ watch: true, url: await refusedAddress() });
  void life.start();
  await eventually(() => {
    expect(lines[0]).toMatch(
      /^Flipt's changes are not watched; answers expire by age: the code for snapshots/,
    );
  });
  expect(life.running()?.snapshots?.isNotOffered()).toBe(true);
  await life.close();
  expect(clock.timers()).toBe(0);
});

it('says once that the code of snapshots is gone, as an error; loads it again after a minute', async () => {
  const { life, lines, clock } = offline();
  expect(await life.start()).toMatchObject({
    message: expect.stringContaining('the code for snapshots cannot be loaded: ') as string,
  });
  const unloadable = expect.stringMatching(/^There is no snapshot: the code for snapshots cannot/) as string;
  const ours = () => lines.filter((line) => !line.startsWith('evaluateAll'));
  expect(ours()).toEqual([unloadable]);
  const retried = clock.timers();
  await clock.advance(60_000);
  // Loading takes real time, and then the next time is set.
  await eventually(() => {
    expect(clock.timers()).toBe(retried);
  });
  expect(ours()).toEqual([unloadable]);

  vi.doUnmock(SNAPSHOTS);
  vi.resetModules();
  await clock.advance(60_000);
  await eventually(async () => {
    await clock.settle();
    expect(await life.running()?.evaluate('on', {})).toMatchObject({ answer: { enabled: true } });
  });
  expect(ours()).toEqual([unloadable, 'The code for snapshots is loaded now']);
  await life.close();
  expect(clock.timers()).toBe(0);
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { good } from './changing.fixture.js';
import { recordingLogger, serving } from './open.fixture.js';

async function providers(count: number, options: object = {}) {
  const server = await serving(good);
  const logger = recordingLogger();
  const made = Array.from(
    { length: count },
    () => new FliptProvider({ url: server.url, watch: false, logger, ...options }),
  );
  onTestFinished(async () => {
    await Promise.all(made.map((provider) => provider.onClose()));
  });
  const warnings = () => logger.warn.mock.calls.map(([line]) => String(line));
  return { made, warnings };
}

describe('providers of one namespace', () => {
  it('are named in one warning when ten of them live at once', async () => {
    const { made, warnings } = await providers(12);
    for (const provider of made.slice(0, 9)) await provider.resolveStringEvaluation('a', '', {});
    expect(warnings()).toEqual([]);
    for (const provider of made.slice(9)) await provider.resolveStringEvaluation('a', '', {});
    expect(warnings()).toEqual([
      expect.stringMatching(/^10 Flipt providers are in use for http:.* "default": /),
    ]);
  });

  it('are as many as needed if each is closed', async () => {
    const { made, warnings } = await providers(12);
    for (const provider of made) {
      await provider.initialize();
      await provider.onClose();
    }
    expect(warnings()).toEqual([]);
  });
});

describe('a call after the close', () => {
  it('says that another provider has taken its place, if so', async () => {
    const { made, warnings } = await providers(2);
    const [first, second] = made;
    await first?.initialize();
    await second?.initialize();
    await first?.onClose();
    const details = await first?.resolveStringEvaluation('a', 'mine', {});
    expect(details).toMatchObject({ value: 'mine', errorCode: 'PROVIDER_NOT_READY' });
    expect(warnings()).toEqual([expect.stringContaining('another provider has taken its place')]);
  });

  it('says only that the provider is closed, if there is no other', async () => {
    const { made, warnings } = await providers(1);
    await made[0]?.initialize();
    await made[0]?.onClose();
    await made[0]?.resolveStringEvaluation('a', 'mine', {});
    expect(warnings()).toEqual([expect.not.stringContaining('another provider')]);
    expect(warnings()).toEqual([expect.stringContaining('is closed')]);
  });
});

import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { settingOf } from './jest.fixture.js';
import { ROOT } from '../docs/pages.fixture.js';
import { packed } from '../package/packed.fixture.js';
import { startLocalService } from '../../src/local/index.js';

const run = promisify(execFile);

/** Sinon's own timers come in this package. */
const FRAMEWORKS = {
  'node:test': "const { mock } = require('node:test');",
  Sinon: "const sinon = { useFakeTimers: require('@sinonjs/fake-timers').install };",
};

it.each(Object.entries(FRAMEWORKS))(
  'a resolve is answered under the fake timers of %s',
  async (name, framework) => {
    const project = await (await packed()).consumer(`fake-timers-${name.replace(':', '-')}`, false);
    const link = join(project, 'node_modules/@sinonjs/fake-timers');
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules/@sinonjs/fake-timers'), link);
    const service = await startLocalService({
      features: { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
    });
    const script = `
    const { OpenFeature } = require('@openfeature/server-sdk');
    const { FliptProvider } = require('openfeature-flipt-provider');
    ${framework}
    (async () => {
      const options = { url: '${service.url}', http: { timeoutMs: 60_000 }, deadlineMs: 60_000, initTimeoutMs: 60_000 };
      await OpenFeature.setProviderAndWait(new FliptProvider(options));
      const real = setTimeout;
      ${settingOf(name)};
      const { value, reason } = await OpenFeature.getClient().getBooleanDetails('on', false);
      console.log(value, reason, setTimeout === real);
      await OpenFeature.close();
    })();`;
    writeFileSync(join(project, 'app.cjs'), script);
    const { stdout } = await run(process.execPath, ['app.cjs'], { cwd: project });
    expect(stdout).toBe('true DEFAULT false\n');
    await service.close();
  },
);

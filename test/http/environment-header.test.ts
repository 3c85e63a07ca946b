import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { serving } from '../provider/open.fixture.js';
import { answering, item, orMissing, type Script } from '../servers/scripted.fixture.js';

it('an environment beyond Latin-1 reaches Flipt in UTF-8, with evaluations and with polls', async () => {
  const environment = 'größe-日本';
  const seen = new Map<string, string>();
  const seeing =
    (script: Script): Script =>
    (request, response) => {
      const written = String(request.headers['x-flipt-environment'] ?? '');
      seen.set(request.path.split('/')[1] ?? '', Buffer.from(written, 'latin1').toString('utf8'));
      return script(request, response);
    };
  const noSnapshots: Script = (_, response) => response.writeHead(404).end();
  const answers = answering(orMissing(({ flagKey }) => item.boolean(flagKey)));
  const server = await serving(seeing(answers), seeing(noSnapshots));
  const provider = new FliptProvider({ url: server.url, environment });
  await provider.initialize();
  await provider.refresh();
  await provider.resolveBooleanEvaluation('a', false, {});
  await provider.onClose();
  expect(Object.fromEntries(seen)).toMatchObject({ internal: environment, evaluate: environment });
});

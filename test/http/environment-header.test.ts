import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { serving } from '../provider/open.fixture.js';
import type { Script } from '../servers/scripted.fixture.js';

it('an environment beyond Latin-1 reaches Flipt in UTF-8, with evaluations and with polls', async () => {
  const environment = 'größe-日本';
  const seen = new Map<string, string>();
  const answer: Script = ({ headers, path }, response) => {
    const written = String(headers['x-flipt-environment'] ?? '');
    seen.set(path.split('/')[1] ?? '', Buffer.from(written, 'latin1').toString('utf8'));
    response.writeHead(404).end();
  };
  const server = await serving(answer, answer);
  const provider = new FliptProvider({ url: server.url, environment, evaluation: 'in-process' });
  await provider.initialize().catch(() => undefined);
  await provider.refresh();
  await provider.onClose();
  expect(seen.get('internal')).toBe(environment);
});

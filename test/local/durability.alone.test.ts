import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type CommandProcess, startCommand } from '../command/command-process.fixture.js';
import { useFolder } from './folder.fixture.js';
import { ask, BASE_FEATURES, evaluate } from './requests.fixture.js';

const at = useFolder();
const KILLS = 3;
const CHANGES_EACH = 100;
const WRITERS = 8;
const SEGMENTS = '/api/v1/namespaces/default/segments';
const FLAG = '/api/v1/namespaces/default/flags/banner';

type Body = Record<string, unknown>;

/** Every answered change, by what it changed. */
interface Answered {
  count: number;
  readonly segments: Map<string, Body>;
  readonly rules: Map<string, Body>;
  /** The possible values of the variant's attachment: the last answered one, and those that were requested after it. */
  attachments: readonly unknown[];
}

describe('a service that is killed again and again while it is being changed', () => {
  it(
    `has every answered change on restart, with the same ids and dates: ${KILLS * CHANGES_EACH} changes, ${KILLS} kills`,
    { timeout: 120_000 },
    async () => {
      const data = at('data.json');
      const features = fileURLToPath(BASE_FEATURES);
      const start = (): CommandProcess =>
        startCommand(['serve', '--features', features, '--data', data, '--port', '0']);
      const answered: Answered = {
        count: 0,
        segments: new Map(),
        rules: new Map(),
        attachments: ['{"color":"red"}'],
      };
      for (let round = 0; round < KILLS; round++) {
        const command = start();
        const url = await command.url;
        await expectAll(url, answered);
        await changeUntilKilled(url, command, round, answered);
      }
      const last = start();
      await expectAll(await last.url, answered);
      last.kill('SIGTERM');
      expect((await last.ended).code).toBe(0);
      expect(answered.count).toBeGreaterThanOrEqual(KILLS * CHANGES_EACH);
      expect((await readdir(at())).filter((name) => name !== 'data.json')).toEqual([]);
    },
  );
});

/**
 * Writers change different things at the same time. The service is killed in between.
 */
async function changeUntilKilled(
  url: string,
  command: CommandProcess,
  round: number,
  answered: Answered,
): Promise<void> {
  let answers = 0;
  let killed = false;
  const count = (): void => {
    answered.count++;
    if (++answers < CHANGES_EACH || killed) return;
    killed = true;
    command.kill('SIGKILL');
  };
  const variantId = await redVariant(url);
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let step = 0; !killed; step++) {
      await change(url, variantId, `r${round}-w${writer}-${step}`, writer, answered);
      count();
    }
  });
  await Promise.all(writers.map((writer) => writer.catch(whileKilled)));
  await command.ended;

  function whileKilled(error: unknown): void {
    // From here, killing the service looks like a connection that breaks. Only such errors have a code.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

async function change(
  url: string,
  variantId: string,
  name: string,
  writer: number,
  answered: Answered,
): Promise<void> {
  if (writer === 0) return changeVariant(url, variantId, name, answered);
  if (writer === 1) {
    const rule = await changed(url, `POST ${FLAG}/rules`, { segmentKey: 'staff', rank: 9 });
    answered.rules.set(String(rule.id), rule);
    return;
  }
  answered.segments.set(name, await changed(url, `POST ${SEGMENTS}`, { key: name, name }));
}

async function changeVariant(url: string, id: string, name: string, answered: Answered): Promise<void> {
  const attachment = JSON.stringify(name);
  answered.attachments = [...answered.attachments, attachment];
  const variant = await changed(url, `PUT ${FLAG}/variants/${id}`, { key: 'red', attachment });
  answered.attachments = [variant.attachment];
}

async function changed(url: string, where: string, body: Body): Promise<Body> {
  const answer = await ask(url, where, { body });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function redVariant(url: string): Promise<string> {
  const { body } = await ask(url, `GET ${FLAG}/rules?limit=1`);
  const [rule] = body.rules as { distributions: { variantId: string }[] }[];
  return rule?.distributions[0]?.variantId ?? '';
}

async function expectAll(url: string, { segments, rules, attachments }: Answered): Promise<void> {
  const listed = await all(url, SEGMENTS, 'segments');
  const byKey = new Map(listed.map((segment) => [segment.key, segment]));
  for (const [key, segment] of segments) expect(byKey.get(key)).toEqual(segment);
  const byId = new Map((await all(url, `${FLAG}/rules`, 'rules')).map((rule) => [rule.id, rule]));
  for (const [id, rule] of rules) expect(byId.get(id)).toEqual(rule);
  const [answer] = await evaluate(url, [{ flagKey: 'banner', entityId: 'u1', context: { plan: 'pro' } }]);
  expect(attachments).toContain(answer?.variantAttachment);
}

async function all(url: string, path: string, member: string): Promise<readonly Body[]> {
  const list: Body[] = [];
  let token = '';
  do {
    const { body } = await ask(url, `GET ${path}?limit=100&pageToken=${token}`);
    list.push(...(body[member] as Body[]));
    token = String(body.nextPageToken);
  } while (token !== '');
  return list;
}

import { ClientTokenAuthentication, FliptClient } from '@flipt-io/flipt';
import { expect, it } from 'vitest';
import { casesOf, comparable, featuresOf, RECORDINGS } from '../engine/recordings.fixture.js';
import { useServices } from './running.fixture.js';

const start = useServices();
const MOST = 200;

it.each(RECORDINGS)("Flipt's own client gets the recorded answers: $name, $semantics", async (recording) => {
  const { semantics } = recording;
  const token = 'dummy-token';
  const { url } = await start({ features: featuresOf(recording), semantics, bootstrapToken: token });
  const { evaluation } = new FliptClient({
    url,
    authenticationStrategy: new ClientTokenAuthentication(token),
  });
  for (const { request, response } of casesOf(recording).slice(0, MOST)) {
    const { type, ...answer } = comparable(response) as { type: string; [name: string]: unknown };
    if (type.startsWith('ERROR')) {
      await expect(evaluation.boolean(request)).rejects.toThrow('not found');
      continue;
    }
    const answered = await (type.startsWith('BOOLEAN')
      ? evaluation.boolean(request)
      : evaluation.variant(request));
    expect(comparable({ ...answered })).toMatchObject(answer);
  }
});

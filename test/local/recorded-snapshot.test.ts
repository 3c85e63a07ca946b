import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { featuresOf, RECORDINGS } from '../engine/recordings.fixture.js';
import { useServices } from './running.fixture.js';
import { comparable, snapshot } from './snapshots.fixture.js';

const start = useServices();
const FOLDER = new URL('../recordings/snapshot/', import.meta.url);

const CASES = RECORDINGS.flatMap((recording) =>
  ['default', 'team'].map((namespace) => ({ ...recording, namespace })),
);

it.each(CASES)(
  'is the recorded one: $name, $semantics, namespace $namespace',
  async ({ namespace, ...recording }) => {
    const { name, semantics } = recording;
    const recorded: unknown = JSON.parse(
      readFileSync(new URL(`${name}.${semantics}.${namespace}.json`, FOLDER), 'utf8'),
    );
    const { url } = await start({ features: featuresOf(recording), semantics });
    const { status, body } = await snapshot(url, namespace);
    expect(status).toBe(200);
    expect(comparable(body)).toEqual(comparable(recorded));
  },
);

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { parseSnapshot } from '../../src/snapshot/body/parse.js';
import { writeBody } from '../../src/snapshot/body/write-body.js';
import { BODIES, recordedBody } from './bodies.fixture.js';

describe.each(BODIES)('$file, written again', ({ file, namespace }) => {
  const parse = (body: Buffer) => parseSnapshot(body, namespace, systemClock);

  it('is read as the same features', async () => {
    const recorded = await parse(recordedBody(file));
    const written = JSON.stringify(writeBody(namespace, recorded));
    expect(await parse(Buffer.from(written))).toEqual(recorded);
  });

  it('is no larger than what the service sent', async () => {
    const recorded = recordedBody(file);
    const written = JSON.stringify(writeBody(namespace, await parse(recorded)));
    expect(written.length).toBeLessThan(recorded.length);
  });
});

import { expect, it } from 'vitest';
import { oldNode } from '../../../src/base/text/old-node.js';

it('an old Node is named by its version, and the one that is needed', () => {
  expect(oldNode({})).toBe(
    `openfeature-flipt-provider needs Node 20.18.1 or newer; this is ${process.version}`,
  );
  expect(oldNode()).toBeUndefined();
});

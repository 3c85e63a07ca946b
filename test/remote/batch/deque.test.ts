import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Deque } from '../../../src/remote/batch/deque.js';

it('gives up first and last items as an array does, however they are mixed', () => {
  const steps = fc.array(fc.constantFrom('push', 'push', 'takeFirst', 'takeLast' as const), {
    minLength: 1,
    maxLength: 600,
  });
  fc.assert(
    fc.property(steps, (taken) => {
      const list = new Deque<number>();
      const model: number[] = [];
      taken.forEach((step, at) => {
        if (step === 'push') {
          list.push(at);
          model.push(at);
        } else if (step === 'takeFirst') expect(list.takeFirst()).toBe(model.shift());
        else expect(list.takeLast()).toBe(model.pop());
        expect([list.size, list.first(), list.last()]).toEqual([model.length, model[0], model.at(-1)]);
      });
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { settled } from './settled.fixture.js';

const send = () => undefined;

describe('tracking', () => {
  it('is off by default, and has defaults once it is on', () => {
    expect(settled({}).tracking).toBeUndefined();
    expect(settled({ tracking: { send } }).tracking).toEqual({ send, attributes: [], onceForMs: 3_600_000 });
  });

  it.each<[unknown, string]>([
    [true, 'tracking: expected an object of options, got true'],
    [{}, 'tracking.send: expected a function that receives events, got undefined'],
    [{ send: 'https://a.test' }, 'tracking.send: expected a function that receives events, got a string'],
    [{ send, attributes: 'plan' }, 'tracking.attributes: expected a list of attribute names, got a string'],
    [{ send, attributes: [1] }, 'tracking.attributes.0: expected the name of an attribute, got 1'],
    [{ send, flags: 'a' }, 'tracking.flags: expected a list of flag keys, or a function, got a string'],
    [{ send, flags: [1] }, 'tracking.flags.0: expected the key of a flag, got 1'],
    [{ send, onceForMs: -1 }, 'tracking.onceForMs: expected milliseconds >= 0, got -1'],
    [{ send, user: 'hash' }, 'tracking.user: expected a function that takes a targetingKey, got a string'],
    [
      { send, everyMs: 5 },
      'tracking.everyMs: unknown option, expected one of send, attributes, flags, onceForMs, user',
    ],
  ])('%j: %s', (tracking, message) => {
    expect(() => settled({ tracking })).toThrow(new TypeError(`FliptProvider: ${message}`));
  });
});

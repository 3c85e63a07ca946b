import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../clock.fixture.js';
import { parsedText, parseSnapshot, recordedBody } from './bodies.fixture.js';

describe('an invalid body is rejected as a whole:', () => {
  it.each<[string, unknown, string]>([
    ['no list of flags', {}, 'flags: missing'],
    ['an error of the service', { code: 5, message: 'not found', details: [] }, 'flags: missing'],
    ['flags that are no list', { flags: { key: 'f' } }, 'flags: expected a list, got an object'],
    ['a list', [], 'not JSON at byte 0'],
    ['text', 'ok', 'not JSON at byte 0'],
    [
      'another namespace',
      { namespace: { key: 'team' }, flags: [] },
      'namespace.key: expected "default", got "team"',
    ],
    ['two lists of flags', undefined, 'flags: expected one list "flags"'],
    ['a flag that is null', { flags: [null] }, 'flags[0]: expected an object'],
    ['a flag without a key', { flags: [{ key: '' }] }, 'flags[0].key: expected a key, got a string'],
    [
      'a flag without a key beside others',
      { flags: [{ key: 'ok' }, { type: 'BOOLEAN_FLAG_TYPE' }] },
      'flags[1].key: missing',
    ],
    [
      'two flags of which none can be read',
      {
        flags: [
          { key: 'f', enabled: 'true' },
          { key: 'g', type: 'LIST_FLAG_TYPE' },
        ],
      },
      'none of 2 flags can be read; "f": enabled: expected true or false, got a string',
    ],
  ])('%s', async (_what, json, message) => {
    const text = json === undefined ? '{"flags":[{"key":"f"}],"flags":[]}' : JSON.stringify(json);

    await expect(parsedText(text)).rejects.toThrow(message);
  });

  it.each([
    '<html>',
    '',
    '{"flags":[{"key":"f"},]}',
    '{"flags":[{"key":"f"}]}}',
    '{"flags":[{"x":1 "key":"f"}]}',
  ])('text that is not JSON: %s', async (text) => {
    await expect(parsedText(text)).rejects.toThrow(/not JSON|expected an object/);
  });

  it('a body cut short anywhere', async () => {
    const whole = recordedBody('alpha.v2.team.json');
    const trimmed = Buffer.from(whole.toString().trimEnd());
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: trimmed.length - 1 }), async (length) => {
        await expect(parseSnapshot(trimmed.subarray(0, length), 'team', manualClock())).rejects.toThrow();
      }),
    );
  });
});

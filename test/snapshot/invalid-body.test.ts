import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSnapshot } from '../../src/snapshot/body/parse.js';
import { manualClock } from '../clock.fixture.js';
import { parsedJson, parsedText, recordedBody } from './bodies.fixture.js';

describe('an invalid body is rejected as a whole:', () => {
  const flag = (more: object) => ({ flags: [{ key: 'ok' }, { key: 'f', ...more }] });
  const constraint = (more: object) =>
    flag({
      rules: [
        { segments: [{ key: 's', constraints: [{ type: 'STRING_CONSTRAINT_COMPARISON_TYPE', ...more }] }] },
      ],
    });

  it.each<[string, unknown, string]>([
    ['no list of flags', {}, 'flags: missing'],
    ['an error of the service', { code: 5, message: 'not found', details: [] }, 'flags: missing'],
    ['flags that are no list', { flags: { key: 'f' } }, 'flags: expected a list, got an object'],
    ['a list', [], 'not JSON: no { at byte 0'],
    ['text', 'ok', 'not JSON: no { at byte 0'],
    [
      'another namespace',
      { namespace: { key: 'team' }, flags: [] },
      'namespace.key: expected "default", got "team"',
    ],
    ['two lists of flags', undefined, 'flags: expected one list "flags", got a list'],
    ['a flag that is null', { flags: [null] }, 'flags[0]: expected a flag of a known type, got null'],
    ['a flag without a key', { flags: [{ key: '' }] }, 'flags[0].key: expected a key, got a string'],
    ['one key twice', { flags: [{ key: 'f' }, { key: 'f' }] }, 'flags[1].key: "f" is there twice'],
    [
      'a flag of a new type',
      flag({ type: 'LIST_FLAG_TYPE' }),
      'flags[1].type: expected a flag of a known type, got "LIST_FLAG_TYPE"',
    ],
    [
      'text for a truth value',
      flag({ enabled: 'true' }),
      'flags[1].enabled: expected true or false, got a string',
    ],
    ['rules that are no list', flag({ rules: {} }), 'flags[1].rules: expected a list, got an object'],
    [
      'a rollout of a new type',
      flag({ type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ type: 'NEW_ROLLOUT_TYPE' }] }),
      'flags[1].rollouts[0].type: expected a rollout of a known type, got "NEW_ROLLOUT_TYPE"',
    ],
    [
      'a rollout without a threshold',
      flag({ type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ type: 'THRESHOLD_ROLLOUT_TYPE' }] }),
      'flags[1].rollouts[0].threshold: missing',
    ],
    [
      'what v1 writes for a constraint on entity ids without the version header',
      constraint({ type: 'UNKNOWN_CONSTRAINT_COMPARISON_TYPE' }),
      'flags[1].rules[0].segments[0].constraints[0].type: expected a comparison type, got "UNKNOWN_COMPARISON_TYPE"',
    ],
    [
      'a match type of a features file',
      flag({ rules: [{ segments: [{ key: 's', matchType: 'ALL_MATCH_TYPE' }] }] }),
      'flags[1].rules[0].segments[0].matchType: expected a number, ALL_SEGMENT_MATCH_TYPE or ANY_SEGMENT_MATCH_TYPE, got "ALL_MATCH_TYPE"',
    ],
    [
      'a number for text',
      constraint({ value: 5 }),
      'flags[1].rules[0].segments[0].constraints[0].value: expected text, got a number',
    ],
    [
      'a share in words',
      flag({ rules: [{ distributions: [{ rollout: '50' }] }] }),
      'flags[1].rules[0].distributions[0].rollout: expected a number, got a string',
    ],
    [
      'copies of a rule that share their distributions in no way',
      flag({
        rules: [
          { id: 'r', distributions: [{}] },
          { id: 'r', distributions: [{}] },
        ],
      }),
      'flag "f": a rule is listed 2 times, but has 1 distributions',
    ],
  ])('%s', async (_what, json, message) => {
    const text = json === undefined ? '{"flags":[],"flags":[{"key":"f"}]}' : JSON.stringify(json);

    await expect(parsedText(text)).rejects.toThrow(message);
  });

  it.each([
    '<html>',
    '',
    '{"flags":[{"key":"f"},]}',
    '{"flags":[{"key":"f"}]}}',
    '{"flags":[{"key":"f" "x":1}]}',
  ])('text that is not JSON: %s', async (text) => {
    await expect(parsedText(text)).rejects.toThrow('not JSON');
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

  it('with no value of a segment in the message, which goes to a log', async () => {
    const json = constraint({ type: 'alice@example.org', value: 'alice@example.org' });

    await expect(parsedJson(json)).rejects.toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('alice') as string }) as Error,
    );
  });
});

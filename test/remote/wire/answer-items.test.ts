import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/model/answer.js';
import { answersOf } from '../../../src/remote/wire/batch-answers.js';
import { question } from '../questions.fixture.js';
import { item } from '../../servers/scripted.fixture.js';
import { reply, URL_ } from './answers.fixture.js';

/** Each answer in one word: the variant, or why there is none. */
function words(responses: readonly unknown[], ...flags: string[]): readonly string[] {
  const outcome = answersOf(
    URL_,
    reply({ responses }),
    flags.map((flag) => question(flag)),
  );
  if (isFailure(outcome)) return [outcome.kind];
  return outcome.map((answer) => {
    if (answer.kind === 'variant') return answer.variant;
    return answer.kind === 'failed' ? answer.failure.kind : answer.kind;
  });
}

describe('an item of the answer', () => {
  it('gives its reason in one line of bounded length', () => {
    const reason = `${'long\n'.repeat(1_000)}_EVALUATION_REASON`;
    const outcome = answersOf(URL_, reply({ responses: [item.variant('a', 'x', { reason })] }), [
      question('a'),
    ]);
    expect(outcome).toMatchObject([{ reason: expect.stringMatching(/^(long ?){1,60}$/) as unknown }]);
  });

  it('about a variant flag is read with all of its members', () => {
    const responses = [
      item.variant('a', 'blue', { variantAttachment: '{"x":1}', segmentKeys: ['s'], requestId: 'r' }),
    ];
    expect(answersOf(URL_, reply({ responses }), [question('a')])).toEqual([
      {
        kind: 'variant',
        match: true,
        variant: 'blue',
        attachment: '{"x":1}',
        reason: 'MATCH',
        segmentKeys: ['s'],
        requestId: 'r',
      },
    ]);
  });

  it('about a boolean flag is read with all of its members', () => {
    const responses = [item.boolean('a', false, { reason: 'MATCH_EVALUATION_REASON', requestId: '' })];
    expect(answersOf(URL_, reply({ requestId: 'batch', responses }), [question('a')])).toEqual([
      { kind: 'boolean', enabled: false, reason: 'MATCH', segmentKeys: [], requestId: 'batch' },
    ]);
  });

  it('may lack members that have a default', () => {
    const bare = { type: 'VARIANT_EVALUATION_RESPONSE_TYPE', variantResponse: { reason: 'odd\nreason' } };
    const noSegments = {
      type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
      booleanResponse: { enabled: true, reason: 'DEFAULT_EVALUATION_REASON' },
    };
    expect(answersOf(URL_, reply({ responses: [bare, noSegments] }), [question('a'), question('b')])).toEqual(
      [
        {
          kind: 'variant',
          match: false,
          variant: '',
          attachment: '',
          reason: 'odd reason',
          segmentKeys: [],
          requestId: '',
        },
        { kind: 'boolean', enabled: true, reason: 'DEFAULT', segmentKeys: undefined, requestId: '' },
      ],
    );
  });

  it('reports a missing flag, and any other error in the service’s words', () => {
    const broken = {
      type: 'ERROR_EVALUATION_RESPONSE_TYPE',
      errorResponse: { flagKey: 'b', reason: 'UNKNOWN_ERROR_EVALUATION_REASON' },
    };
    const silent = { type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse: { flagKey: 'c' } };
    const responses = [item.missing('a'), broken, silent];
    expect(
      answersOf(
        URL_,
        reply({ responses }),
        ['a', 'b', 'c'].map((flag) => question(flag)),
      ),
    ).toEqual([
      { kind: 'missing' },
      {
        kind: 'failed',
        failure: {
          kind: 'item',
          message: 'Flipt could not evaluate flag "b": UNKNOWN_ERROR_EVALUATION_REASON',
        },
      },
      {
        kind: 'failed',
        failure: { kind: 'item', message: 'Flipt could not evaluate flag "c": it gave no reason' },
      },
    ]);
  });

  it('about a flag with lone surrogates is matched by the key as it was sent', () => {
    expect(words([item.variant('a\ufffd', 'v')], 'a\ud800')).toEqual(['v']);
  });

  const response = (type: string, member: string, value: unknown) => ({
    type: `${type}_EVALUATION_RESPONSE_TYPE`,
    [member]: value,
  });
  it.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['text', 'VARIANT'],
    ['an object of nothing', {}],
    ['of an unknown type', response('MOON', 'moonResponse', {})],
    ['without its member', response('VARIANT', 'booleanResponse', { reason: 'x' })],
    ['with a list for its member', response('VARIANT', 'variantResponse', [])],
    ['about another flag', item.variant('other', 'v')],
    ['that another flag is missing', item.missing('other')],
    ['about another boolean', item.boolean('other')],
    ['without a reason', item.variant('a', 'v', { reason: undefined })],
    ['with a number for its reason', item.boolean('a', true, { reason: 5 })],
    ['with a number for its variant', item.variant('a', 'v', { variantKey: 5 })],
    ['with an object for its attachment', item.variant('a', 'v', { variantAttachment: {} })],
    ['with text for its match', item.variant('a', 'v', { match: 'yes' })],
    ['with text for its segments', item.variant('a', 'v', { segmentKeys: 's' })],
    ['with numbers for its segments', item.boolean('a', true, { segmentKeys: [5] })],
    ['with text for its value', item.boolean('a', true, { enabled: 'true' })],
    ['without a value', item.boolean('a', true, { enabled: undefined })],
    ['with a number for its flag', item.variant('a', 'v', { flagKey: 5 })],
  ])('%s fails alone', (_, hostile) => {
    expect(
      words([item.variant('before', '1'), hostile, item.missing('after')], 'before', 'a', 'after'),
    ).toEqual(['1', 'unreadable', 'missing']);
  });
});

it('an answer with a wrong number of items is unreadable', () => {
  for (const responses of [
    [],
    [item.variant('a', '1')],
    ['a', 'b', 'c'].map((flag) => item.variant(flag, '1')),
  ]) {
    expect(answersOf(URL_, reply({ responses }), [question('a'), question('b')])).toEqual({
      kind: 'unreadable',
      message: `Flipt at ${URL_} returned an unreadable response: ${responses.length} items for a batch of 2`,
    });
  }
});

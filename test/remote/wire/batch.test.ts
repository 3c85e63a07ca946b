import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure, questionOf } from '../../../src/model/answer.js';
import type { Reply } from '../../../src/http/reply.js';
import { answersOf } from '../../../src/remote/wire/batch-answers.js';
import { batchBody, itemText } from '../../../src/remote/wire/batch-request.js';
import { question } from '../questions.fixture.js';
import { item } from '../../servers/scripted.fixture.js';
import { reply, URL_ } from './answers.fixture.js';

describe('a question as an item of a batch', () => {
  it('holds what the service looks at, and nothing else', () => {
    expect(JSON.parse(itemText(question('colour', 'user', { plan: 'pro' })))).toEqual({
      namespaceKey: 'default',
      flagKey: 'colour',
      entityId: 'user',
      context: { plan: 'pro' },
    });
  });

  it('is well-formed UTF-8 whatever it holds, and does not change text that is', () => {
    const text = fc
      .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x5c, 0x75, 0x64, 0x38, 0x22)))
      .map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(text, text, text, text, (flag, entity, name, value) => {
        const item = itemText(questionOf('default', flag, { entity, names: [name], texts: [value] }));
        expect(item.isWellFormed()).toBe(true);
        expect(JSON.parse(item)).toEqual({
          namespaceKey: 'default',
          flagKey: flag.toWellFormed(),
          entityId: entity.toWellFormed(),
          context: Object.fromEntries([[name.toWellFormed(), value.toWellFormed()]]),
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the body of a batch', () => {
  it.each([
    [[], undefined, '{"requests":[]}'],
    [['{"a":1}', '{"b":2}'], undefined, '{"requests":[{"a":1},{"b":2}]}'],
    [['{}'], 'ma"in', '{"requests":[{}],"reference":"ma\\"in"}'],
  ])('of %j with reference %j', (items, reference, body) => {
    expect(batchBody(items, reference)).toBe(body);
  });
});

describe('an unreadable answer', () => {
  it.each<[string, unknown, Partial<Reply>, string]>([
    [
      'HTML',
      '<html>\nSign in',
      { headers: { 'content-type': 'text/html; charset=utf-8' } },
      'text/html beginning "<html> Sign in", not JSON',
    ],
    [
      'cut short',
      '{"responses":[{"ty',
      {},
      'application/json beginning "{\\"responses\\":[{\\"ty", not JSON',
    ],
    ['empty', '', {}, 'an empty body, not JSON'],
    ['of white space', ' \n', {}, 'an empty body, not JSON'],
    ['a list', [], {}, 'application/json beginning "[]", without a list "responses"'],
    ['null', 'null', {}, 'application/json beginning "null", without a list "responses"'],
    ['a number', '5', { headers: {} }, 'a body beginning "5", without a list "responses"'],
    [
      'another object',
      { flags: [] },
      {},
      'application/json beginning "{\\"flags\\":[]}", without a list "responses"',
    ],
    [
      'responses that are no list',
      { responses: {} },
      {},
      'application/json beginning "{\\"responses\\":{}}", without a list "responses"',
    ],
  ])('%s is described in one line', (_, body, more, why) => {
    expect(answersOf(URL_, reply(body, more), [question('a')])).toEqual({
      kind: 'unreadable',
      message: `Flipt at http://flipt.test returned an unreadable response: ${why}`,
    });
  });

  it('shows nothing that its reply redacts: in a reason, a page or the type of its content', () => {
    const redact = (text: string) => text.replaceAll('dummy-token', '[credential]');
    const refusing = (reason: string) => ({
      type: 'ERROR_EVALUATION_RESPONSE_TYPE',
      errorResponse: { flagKey: 'colour', namespaceKey: 'default', reason },
    });
    const long = `${'x'.repeat(295)}dummy-token`;
    for (const shown of [
      reply({ responses: [refusing('because of dummy-token')] }, { redact }),
      reply({ responses: [refusing(long)] }, { redact }),
      reply(`<p>${'x'.repeat(50)}dummy-token`, { redact }),
      reply('<p>', { redact, headers: { 'content-type': 'text/dummy-token' } }),
    ]) {
      const shownText = JSON.stringify(answersOf(URL_, shown, [question('colour')]));
      expect(shownText).toContain('[cred');
      expect(shownText).not.toContain('dummy');
    }
  });

  it('shows no credential in what an answer says about itself', () => {
    const redact = (text: string) => text.replaceAll('dummy-token', '[credential]');
    const { type, variantResponse } = item.variant('colour', 'dummy-token');
    const echoing = { ...variantResponse, reason: 'as dummy-token', requestId: 'of dummy-token' };
    const shown = reply({ responses: [{ type, variantResponse: echoing }] }, { redact });
    expect(answersOf(URL_, shown, [question('colour')])).toMatchObject([
      { variant: 'dummy-token', reason: 'as [credential]', requestId: 'of [credential]' },
    ]);
  });

  it('does not change a readable one, even if a credential is part of it', () => {
    const redact = () => '[credential]';
    const shown = reply({ responses: [item.variant('colour', 'red')] }, { redact });
    expect(answersOf(URL_, shown, [question('colour')])).toMatchObject([{ variant: 'red' }]);
  });

  it.each([
    [400, 1, 'rejected-question'],
    [422, 1, 'rejected-question'],
    [400, 2, 'rejected-request'],
    [422, 2, 'rejected-request'],
    [404, 1, 'not-found'],
  ])('%s for a request of %s is %s', (status, count, kind) => {
    const questions = [question('a'), question('b')].slice(0, count);
    expect(answersOf(URL_, reply('', { status }), questions)).toMatchObject({ kind });
  });

  it('never makes the reader throw', () => {
    const any = fc.oneof(fc.constantFrom(null, 5, '', [], {}), fc.jsonValue());
    const types = ['VARIANT', 'BOOLEAN', 'ERROR'].map((kind) => `${kind}_EVALUATION_RESPONSE_TYPE`);
    const response = fc.record({ flagKey: fc.constantFrom('a', 'b'), reason: any, segmentKeys: any });
    const content = fc.oneof(any, response);
    const item = fc.record({
      type: fc.constantFrom(...types),
      variantResponse: content,
      booleanResponse: content,
      errorResponse: content,
    });
    const items = fc.array(fc.oneof(any, item), { minLength: 2, maxLength: 2 });
    const body = items.map((responses) => JSON.stringify({ responses }));
    fc.assert(
      fc.property(fc.oneof(body, fc.json(), fc.string()), fc.constantFrom(200, 500), (text, status) => {
        const outcome = answersOf(URL_, reply(text, { status }), [question('a'), question('b')]);
        expect(isFailure(outcome) || outcome.length === 2).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

import { expect, it } from 'vitest';
import { errorResponse } from '../../../src/local/http/responses.js';
import { Refusal, type RefusalKind } from '../../../src/local/parsing/refused-request.js';
import { SaveError } from '../../../src/local/state/state-store.js';

it.each<[RefusalKind, number, number]>([
  ['invalid', 400, 3],
  ['unauthenticated', 401, 16],
  ['forbidden', 403, 7],
  ['not-found', 404, 5],
  ['method-not-allowed', 405, 12],
  ['too-large', 413, 8],
  ['not-json', 415, 3],
  ['not-served', 501, 12],
])('answers a refusal of kind %s with %i and code %i', (kind, status, code) => {
  expect(errorResponse(new Refusal(kind, 'why'))).toEqual({ status, code, message: 'why' });
});

it.each([
  [SaveError.notMade('EIO'), 'the change was not made, because it could not be saved: EIO'],
  [SaveError.unsure('EIO'), 'the change was made, but may be lost if the machine stops suddenly: EIO'],
])('says whether a change that could not be saved was made: %s', (error, message) => {
  expect(errorResponse(error)).toEqual({ status: 500, code: 13, message });
});

it.each([new Error('secret'), 'secret', undefined])('quotes no other error: %s', (error) => {
  expect(errorResponse(error)).toEqual({ status: 500, code: 13, message: 'internal error' });
});

import { describe, expect, it } from 'vitest';
import { hashOf, withoutAuthentication, withTokens } from '../../../src/local/operations/authentication.js';
import type { State, TokenRecord } from '../../../src/local/state/state.js';

const NOW = Date.parse('2024-01-01T00:00:00Z');
const dates = { createdAt: '', updatedAt: '' };

function holding(...tokens: readonly Partial<TokenRecord>[]): State {
  const records = tokens.map((token, index): TokenRecord => {
    return { id: String(index), hash: '', metadata: {}, ...dates, ...token };
  });
  return { namespaces: new Map(), tokens: new Map(records.map((token) => [token.id, token])) };
}

describe('who may use the service', () => {
  const authenticate = withTokens('dummy-bootstrap');
  const stored = hashOf('dummy-token');

  it('is everybody if no token is required', () => {
    expect(withoutAuthentication(undefined, holding(), NOW)).toEqual({ namespaceKey: undefined });
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    'bearer dummy-bootstrap',
    'Basic dummy-bootstrap',
    'dummy-bootstrap',
    'Bearer dummy-bootstrap ',
    `Bearer ${stored}`,
  ])('is nobody with the header %j', (header) => {
    expect(authenticate(header, holding({ hash: stored }), NOW)).toBeUndefined();
  });

  it('includes the holder of the first token', () => {
    expect(authenticate('Bearer dummy-bootstrap', holding(), NOW)).toEqual({ namespaceKey: undefined });
  });

  it('includes the holder of a stored token, in its namespace', () => {
    const state = holding({ hash: 'short' }, { hash: stored, namespaceKey: 'team' });
    expect(authenticate('Bearer dummy-token', state, NOW)).toEqual({ namespaceKey: 'team' });
  });

  it.each([
    ['2024-01-01T00:00:00Z', false],
    ['2023-12-31T23:59:59.999999999Z', false],
    ['2024-01-01T00:00:00.000000001Z', true],
    ['no date', false],
  ])('excludes the holder of a token that has expired: %s', (expiresAt, known) => {
    const state = holding({ hash: stored, expiresAt });
    expect(authenticate('Bearer dummy-token', state, NOW) !== undefined).toBe(known);
  });
});

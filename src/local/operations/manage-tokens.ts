import { randomBytes } from 'node:crypto';
import { hashOf } from './authentication.js';
import type { Operation } from './operation.js';
import type { TokenRecord } from '../state/state.js';
import { newIdentity } from '../../features/records.js';
import { notFound } from '../requests/refused-request.js';

const TOKEN_BYTES = 32;

/** POST /auth/v1/method/token: only this answer has the token itself. */
export const createToken: Operation = async ({ store, stamp }, { message }) => {
  const name = message.string('name');
  const description = message.string('description');
  const namespaceKey = message.string('namespaceKey');
  const clientToken = randomBytes(TOKEN_BYTES).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  const token: TokenRecord = {
    ...newIdentity(stamp),
    hash: hashOf(clientToken),
    namespaceKey: namespaceKey === '' ? undefined : namespaceKey,
    expiresAt: message.timestamp('expiresAt'),
    // The service's own entries come last, so the caller's entries cannot override them.
    metadata: {
      ...message.stringMap('metadata'),
      'io.flipt.auth.token.name': name,
      ...(description !== '' && { 'io.flipt.auth.token.description': description }),
      ...(namespaceKey !== '' && { 'io.flipt.auth.token.namespace': namespaceKey }),
    },
  };
  return store.change((state) => ({
    state: { ...state, tokens: new Map(state.tokens).set(token.id, token) },
    result: { json: { clientToken, authentication: shown(token) } },
  }));
};

/** GET /auth/v1/tokens/{id} */
export const getToken: Operation = ({ store }, { path }) => {
  const token = store.state.tokens.get(path.id);
  if (!token) {
    throw notFound('getting authentication by token: reading authentication: resource not found');
  }
  return { json: shown(token) };
};

function shown({ id, expiresAt, createdAt, updatedAt, metadata }: TokenRecord): unknown {
  return { id, method: 'METHOD_TOKEN', expiresAt, createdAt, updatedAt, metadata };
}

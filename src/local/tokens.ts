import { createHash, randomBytes } from 'node:crypto';
import { json, permit, type Caller, type Operation } from './operation.js';
import { Refusal, Message } from './request.js';
import { newIdentity, type State, type TokenRecord } from './store.js';

const EVERYTHING: Caller = { namespaceKey: undefined };

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** Comparing hashes with `===` is safe: how long it takes says nothing about the token. */
export function callerOf(header: string | undefined, { tokens }: State, bootstrapToken: string | undefined) {
  if (bootstrapToken === undefined) return EVERYTHING;
  // The scheme is case-sensitive, as in Flipt.
  const given = /^Bearer (.+)$/.exec(header ?? '')?.[1];
  if (given === undefined) return undefined;
  const hash = hashOf(given);
  if (hash === hashOf(bootstrapToken)) return EVERYTHING;
  const token = tokens.get(hash);
  return token && !hasExpired(token) ? { namespaceKey: token.namespaceKey } : undefined;
}

function hasExpired({ expiresAt }: TokenRecord): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}

/** POST /auth/v1/method/token. No other answer contains the token. */
export const createToken: Operation = ({ store }, { caller, text }) => {
  permit(caller);
  const message = Message.of(text);
  const { name, description, namespaceKey } = message.strings('name', 'description', 'namespaceKey');
  const clientToken = randomBytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  const token: TokenRecord = {
    ...newIdentity(),
    hash: hashOf(clientToken),
    namespaceKey: namespaceKey || undefined,
    expiresAt: message.timestamp('expiresAt'),
    // The client cannot override Flipt's own entries.
    metadata: {
      ...message.stringMap('metadata'),
      'io.flipt.auth.token.name': name,
      ...(description !== '' && { 'io.flipt.auth.token.description': description }),
      ...(namespaceKey !== '' && { 'io.flipt.auth.token.namespace': namespaceKey }),
    },
  };
  return store.change((state) => ({
    state: { ...state, tokens: new Map(state.tokens).set(token.hash, token) },
    result: json({ clientToken, authentication: shown(token) }),
  }));
};

/** GET /auth/v1/tokens/{id} */
export const getToken: Operation = ({ store }, { caller, path }) => {
  permit(caller);
  const token = [...store.state.tokens.values()].find(({ id }) => id === path.id);
  if (token) return json(shown(token));
  throw new Refusal(404, 'getting authentication by token: reading authentication: resource not found');
};

function shown({ id, expiresAt, createdAt, updatedAt, metadata }: TokenRecord): unknown {
  return { id, method: 'METHOD_TOKEN', expiresAt, createdAt, updatedAt, metadata };
}

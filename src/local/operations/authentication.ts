import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseDateTime } from '../../engine/syntax/date-syntax.js';
import { newIdentity } from '../../features/records.js';
import { notFound } from '../parsing/refused-request.js';
import type { State, TokenRecord } from '../state/state.js';
import type { Caller, Operation } from './operation.js';

const EVERYTHING: Caller = { namespaceKey: undefined };

/** The SHA-256 of a token in hex. The service stores this hash and never the token. */
export function hashOf(token: string): string {
  return digestOf(token).toString('hex');
}

/**
 * Finds out who has sent a request, from its Authorization header and the time (ms since the epoch). Returns
 * `undefined` if the token is not valid.
 */
export type Authenticate = (header: string | undefined, state: State, date: number) => Caller | undefined;

/** No token is required, so everybody may do everything. */
export const withoutAuthentication: Authenticate = () => EVERYTHING;

/** Accepts the first token, and each stored token that has not expired. */
export function withTokens(bootstrapToken: string): Authenticate {
  const bootstrapDigest = digestOf(bootstrapToken);
  return (header, { tokens }, date) => {
    // The scheme is case-sensitive (Flipt's rule).
    const given = /^Bearer (.+)$/.exec(header ?? '')?.[1];
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    const now = BigInt(date) * 1_000_000n;
    let caller = equal(digest, bootstrapDigest) ? EVERYTHING : undefined;
    // The loop compares with all tokens even after a match, so that its duration says nothing about the hashes.
    for (const token of tokens.values()) {
      if (equal(digest, Buffer.from(token.hash, 'hex')) && !hasExpired(token.expiresAt, now)) {
        caller = { namespaceKey: token.namespaceKey };
      }
    }
    return caller;
  };
}

/** The digest as bytes, which can be compared in constant time. `===` takes longer the more of two texts is equal. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function equal(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function hasExpired(expiresAt: string | undefined, now: bigint): boolean {
  return expiresAt !== undefined && (parseDateTime(expiresAt) ?? now) <= now;
}

const TOKEN_BYTES = 32;

/** POST /auth/v1/method/token. Only this answer contains the token itself. */
export const createToken: Operation = async ({ store, stamp }, { message }) => {
  const { name, description, namespaceKey } = message.texts('name', 'description', 'namespaceKey');
  const clientToken = randomBytes(TOKEN_BYTES).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  const token: TokenRecord = {
    ...newIdentity(stamp),
    hash: hashOf(clientToken),
    namespaceKey: namespaceKey === '' ? undefined : namespaceKey,
    expiresAt: message.timestamp('expiresAt'),
    // Flipt's own entries come last, so that the caller's entries cannot override them.
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

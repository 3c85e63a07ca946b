import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseDateTime } from '../../engine/go-syntax.js';
import { newIdentity } from '../../features/records.js';
import { notFound } from '../parsing/refused-request.js';
import type { State, TokenRecord } from '../state/state.js';
import type { Caller, Operation } from './operation.js';

const EVERYTHING: Caller = { namespaceKey: undefined };

/**
 * Returns the SHA-256 hash of a token as hexadecimal text. The service stores this hash, and never stores the token
 * itself.
 */
export function hashOf(token: string): string {
  return digestOf(token).toString('hex');
}

/**
 * Returns what the sender of a request can access. `header` is the request's Authorization header, and `date` is the
 * current time in milliseconds since the epoch. Returns `undefined` if the header has no valid token.
 */
export type Authenticate = (header: string | undefined, state: State, date: number) => Caller | undefined;

/**
 * The service authenticates requests with this function if it requires no tokens, so that every sender can access
 * everything.
 */
export const withoutAuthentication: Authenticate = () => EVERYTHING;

/**
 * Returns an authentication that accepts the first token (`bootstrapToken`), and each created token that has not
 * expired.
 */
export function withTokens(bootstrapToken: string): Authenticate {
  const bootstrapDigest = digestOf(bootstrapToken);
  return (header, { tokens }, date) => {
    // The scheme `Bearer` is case-sensitive, as in Flipt.
    const given = /^Bearer (.+)$/.exec(header ?? '')?.[1];
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    const now = BigInt(date) * 1_000_000n;
    let caller = equal(digest, bootstrapDigest) ? EVERYTHING : undefined;
    // The loop compares the token with all stored hashes, even after a match, because otherwise the duration of the
    // loop would reveal something about the hashes.
    for (const token of tokens.values()) {
      if (equal(digest, Buffer.from(token.hash, 'hex')) && !hasExpired(token.expiresAt, now)) {
        caller = { namespaceKey: token.namespaceKey };
      }
    }
    return caller;
  };
}

/**
 * Returns the SHA-256 digest of a token as bytes, because `timingSafeEqual` compares bytes in constant time. A
 * comparison with `===` is unsafe, because it takes longer if two texts differ only near their ends.
 */
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

/** POST /auth/v1/method/token. The answer to this request is the only one that contains the token itself. */
export const createToken: Operation = async ({ store, stamp }, { message }) => {
  const { name, description, namespaceKey } = message.texts('name', 'description', 'namespaceKey');
  const clientToken = randomBytes(TOKEN_BYTES).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  const token: TokenRecord = {
    ...newIdentity(stamp),
    hash: hashOf(clientToken),
    namespaceKey: namespaceKey === '' ? undefined : namespaceKey,
    expiresAt: message.timestamp('expiresAt'),
    // Flipt's own entries of the metadata come last, so that entries from the client cannot override them.
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

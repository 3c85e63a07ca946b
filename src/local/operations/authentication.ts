import { createHash, timingSafeEqual } from 'node:crypto';
import { parseDateTime } from '../../engine/syntax/date-syntax.js';
import type { State } from '../state/state.js';

/** What the sender of a request may access. */
export interface Caller {
  /** The only namespace that the sender may use; `undefined` for all namespaces and the tokens. */
  readonly namespaceKey: string | undefined;
}

const EVERYTHING: Caller = { namespaceKey: undefined };

/** SHA-256 in hex. Only this is kept of a token. */
export function hashOf(token: string): string {
  return digestOf(token).toString('hex');
}

/**
 * Finds the sender by an Authorization header at a time (ms since the epoch); `undefined` if the token is not valid.
 */
export type Authenticate = (header: string | undefined, state: State, date: number) => Caller | undefined;

/** Everybody may do everything. */
export const withoutAuthentication: Authenticate = () => EVERYTHING;

/** Accepts a stored token that has not expired, and the first token. */
export function withTokens(bootstrapToken: string): Authenticate {
  const bootstrapDigest = digestOf(bootstrapToken);
  return (header, { tokens }, date) => {
    // The scheme is case-sensitive: the service's rule.
    const given = /^Bearer (.+)$/.exec(header ?? '')?.[1];
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    const now = BigInt(date) * 1_000_000n;
    let caller = equal(digest, bootstrapDigest) ? EVERYTHING : undefined;
    // Always compares with all tokens, so that the duration shows nothing about the hashes.
    for (const token of tokens.values()) {
      if (equal(digest, Buffer.from(token.hash, 'hex')) && !hasExpired(token.expiresAt, now)) {
        caller = { namespaceKey: token.namespaceKey };
      }
    }
    return caller;
  };
}

/** As bytes, for a comparison in constant time: `===` takes longer the more of two texts is equal. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function equal(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function hasExpired(expiresAt: string | undefined, now: bigint): boolean {
  return expiresAt !== undefined && (parseDateTime(expiresAt) ?? now) <= now;
}

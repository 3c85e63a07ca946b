import * as v from 'valibot';
import { members, milliseconds, whole } from '../../options/option-shapes.js';

/** How changes are pushed to browsers. */
export interface PushOptions {
  /** The most streams that are open at a time in this process. A whole number, at least 1. Default 5000. */
  readonly maxStreams?: number | undefined;
  /**
   * The most of them for one `targetingKey`; visitors without one count as one user. A whole number, at least 1.
   * Default 8.
   */
  readonly maxStreamsPerUser?: number | undefined;
  /**
   * After a change, browsers fetch their flags over so many milliseconds, or over 1 ms for each open stream if that is
   * less. 0: all at once. Default 5000.
   */
  readonly jitterMs?: number | undefined;
  /**
   * The path of the stream as the browser must ask for it, if a proxy removes a part of it on the way. Default: the path
   * of the request for all flags.
   */
  readonly requestUri?: string | undefined;
}

export interface StreamLimits {
  readonly maxStreams: number;
  readonly maxStreamsPerUser: number;
  readonly jitterMs: number;
}

export interface PushSettings extends StreamLimits {
  readonly requestUri: string | undefined;
}

/** `undefined`: changes are not pushed. */
export function pushSettings(push: boolean | PushOptions | undefined): PushSettings | undefined {
  if (push === undefined || push === false) return undefined;
  const { maxStreams = 5000, maxStreamsPerUser = 8, jitterMs = 5000, requestUri } = push === true ? {} : push;
  return { maxStreams, maxStreamsPerUser, jitterMs, requestUri };
}

const expected = 'true, false or an object of options';
const pathOnly = 'a path that begins with one slash';

/** An address with two slashes or a backslash would lead to another host. */
const requestUri = v.pipe(v.string(pathOnly), v.regex(/^\/(?:[^/\\\s][^\\\s]*)?$/, pathOnly));

const pushMembers = members(
  {
    maxStreams: whole(1, 'streams'),
    maxStreamsPerUser: whole(1, 'streams'),
    jitterMs: milliseconds(0),
    requestUri: v.optional(requestUri),
  },
  expected,
);

export const pushRule = v.optional(
  v.lazy((given) => (typeof given === 'boolean' ? v.boolean() : pushMembers)),
);

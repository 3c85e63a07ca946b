import * as v from 'valibot';
import { isRecord } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import { failureKindOf, type Send } from '../http/reply.js';
import { rejectsCredentials } from '../model/failure.js';

export interface FliptVersion {
  /** `undefined` if Flipt has named none, as for a build without a number. */
  readonly version: string | undefined;
  /** The version, if it is that of a release, so that its rules and its ETags are known. */
  readonly release: string | undefined;
}

const LIMITS = { timeoutMs: 1_000, maxBytes: 64 * 1024 };

/** `undefined` if the response says nothing about Flipt, because it is a gateway's, or asks for credentials. */
export async function askVersion(send: Send, signal: AbortSignal): Promise<FliptVersion | undefined> {
  const outcome = await send({
    method: 'GET',
    path: '/meta/info',
    download: LIMITS,
    optional: true,
    repeatable: true,
    signal,
  });
  if (outcome.kind !== 'reply') return undefined;
  const kind = failureKindOf(outcome.status);
  if (outcome.status >= 500 || kind === 'gateway' || rejectsCredentials({ kind })) return undefined;
  const info = parsedJson(outcome.bytes?.toString('utf8') ?? '');
  const read = v.safeParse(infoSchema, isRecord(info) ? (info.build ?? info) : info);
  if (!read.success) return { version: undefined, release: undefined };
  const version = outcome.redact(read.output.version);
  return { version, release: read.output.isRelease ? version : undefined };
}

const infoSchema = v.object({
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{1,64}$/), v.regex(/^v?\d+\.\d+\.\d/)),
  isRelease: v.optional(v.boolean(), false),
});

import { isRecord, isShallow } from '../text/describe.js';
import { parsedJson } from '../text/json.js';
import type { Redact } from './redact.js';
import type { Reply } from './reply.js';

/** So many characters of an error are read. The service's own errors are shorter. */
export const LARGEST_ERROR = 256 * 1024;

/** Levels of lists and objects in an error's details. */
const DEEPEST_DETAILS = 32;

/** The service's own error body, redacted: a gRPC code and a message. */
export function serviceErrorOf({ text, redact }: Reply) {
  const body = parsedJson(text);
  if (!isRecord(body) || typeof body.message !== 'string') return undefined;
  const code = typeof body.code === 'number' ? body.code : undefined;
  const details: readonly unknown[] = Array.isArray(body.details) ? body.details : [];
  // A logger must be able to print the details.
  if (!isShallow(details, DEEPEST_DETAILS)) return undefined;
  return { code, message: redact(body.message), details: redacted(details, redact) };
}

/**
 * Whether Flipt does not know the path: it then says only `Not Found`, and a proxy does not answer in its format. If
 * something on a known path is missing, Flipt names it.
 */
export function isUnknownPath(reply: Reply): boolean {
  const said = serviceErrorOf(reply)?.message.trim() || 'Not Found';
  return reply.status === 404 && said === 'Not Found';
}

/** Redacts again, values and names, because JSON escapes may have hidden a credential. */
function redacted(details: readonly unknown[], redact: Redact): readonly unknown[] {
  const value = (member: unknown): unknown => {
    if (typeof member === 'string') return redact(member);
    if (Array.isArray(member)) return member.map(value);
    if (!isRecord(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [redact(name), value(inner)]));
  };
  return details.map(value);
}

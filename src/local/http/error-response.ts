import { Refusal, type RefusalKind } from '../requests/refusal.js';
import { SaveError } from '../state/save-error.js';

/** The service's answer to a failed request. `code` is gRPC's number, which belongs to the HTTP status. */
export interface HttpErrorResponse {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

const STATUSES: Readonly<Record<RefusalKind, Omit<HttpErrorResponse, 'message'>>> = {
  invalid: { status: 400, code: 3 },
  unauthenticated: { status: 401, code: 16 },
  forbidden: { status: 403, code: 7 },
  'not-found': { status: 404, code: 5 },
  'method-not-allowed': { status: 405, code: 12 },
  'too-large': { status: 413, code: 8 },
  'not-json': { status: 415, code: 3 },
  'not-served': { status: 501, code: 12 },
};
const INTERNAL = { status: 500, code: 13 };

/** The message of an unforeseen error is not sent: it may quote data that the client must not see. */
export function errorResponse(error: unknown): HttpErrorResponse {
  if (error instanceof Refusal) return { ...STATUSES[error.kind], message: error.message };
  if (error instanceof SaveError) return { ...INTERNAL, message: error.message };
  return { ...INTERNAL, message: 'internal error' };
}

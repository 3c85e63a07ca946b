import { Refusal, REFUSALS } from '../requests/refused-request.js';
import { SaveError } from '../state/state-store.js';

const INTERNAL = { status: 500, code: 13 };

/**
 * The service's answer to a failed request. `code` is gRPC's number, which belongs to the HTTP status. The message of an
 * unforeseen error is not sent: it may quote data that the client must not see.
 */
export function errorResponse(error: unknown) {
  if (error instanceof Refusal) return { ...REFUSALS[error.kind], message: error.message };
  return { ...INTERNAL, message: error instanceof SaveError ? error.message : 'internal error' };
}

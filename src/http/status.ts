import type { FailureKind } from '../model/failure.js';

const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [400, 'rejected-request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'gateway'],
  [413, 'too-large'],
  [422, 'rejected-request'],
  [429, 'gateway'],
  [500, 'service-error'],
  [502, 'gateway'],
  [503, 'gateway'],
  [504, 'gateway'],
]);

/** The kind of failure that an HTTP status other than 200 stands for. */
export function failureKindOf(status: number): FailureKind {
  return KINDS.get(status) ?? 'unexpected-status';
}

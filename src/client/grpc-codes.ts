import type { GrpcCode } from './service-error.js';

/** In the order of their numbers, from 1: 0 means success. */
const CODES: readonly GrpcCode[] = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** For a status without a gRPC code, which usually comes from a proxy. */
const CODE_OF_STATUS: ReadonlyMap<number, GrpcCode> = new Map<number, GrpcCode>([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ALREADY_EXISTS'],
  [413, 'RESOURCE_EXHAUSTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

export function grpcCode(number: number | undefined, status: number): GrpcCode {
  return CODES[(number ?? 0) - 1] ?? CODE_OF_STATUS.get(status) ?? 'UNKNOWN';
}

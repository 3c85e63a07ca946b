import type { FliptClient } from '../../src/client/index.js';
import type { FliptProvider } from '../../src/index.js';

export const USER = { targetingKey: 'user-1' };

export const many = (count: number) => Array.from({ length: count }, (_, at) => `flag-${at}`);

interface Awaited {
  /** The limit in milliseconds. */
  readonly limitMs: number;
}
interface OfProvider extends Awaited {
  readonly call: (provider: FliptProvider) => Promise<unknown>;
}

const DEADLINE = { limitMs: 1_000 };
export const CLOSE = { limitMs: 2_000 };

export const OF_PROVIDER: Readonly<Record<string, OfProvider>> = {
  initialize: { limitMs: 5_000, call: (it) => it.initialize() },
  onClose: { ...CLOSE, call: (it) => it.onClose() },
  flush: { limitMs: 2_000, call: (it) => it.flush() },
  resolveBooleanEvaluation: { ...DEADLINE, call: (it) => it.resolveBooleanEvaluation('a', false, USER) },
  resolveStringEvaluation: { ...DEADLINE, call: (it) => it.resolveStringEvaluation('a', '', USER) },
  resolveNumberEvaluation: { ...DEADLINE, call: (it) => it.resolveNumberEvaluation('a', 0, USER) },
  resolveObjectEvaluation: { ...DEADLINE, call: (it) => it.resolveObjectEvaluation('a', {}, USER) },
  prefetch: { ...DEADLINE, call: (it) => it.prefetch(many(2_500), USER) },
  refresh: { limitMs: 1_000, call: (it) => it.refresh() },
  evaluateAll: { ...DEADLINE, call: (it) => it.evaluateAll(USER, many(2_500)) },
  evaluateEach: { ...DEADLINE, call: (it) => it.evaluateEach(USER, many(2_500)) },
  explain: { ...DEADLINE, call: (it) => it.explain('a', USER) },
};

interface OfClient extends Awaited {
  readonly call: (client: FliptClient) => Promise<unknown>;
}
/** Of three attempts, and of connecting. */
const OPERATION = { limitMs: 4_500 };
const SEGMENT = { key: 'beta', name: 'Beta' };
const UPDATE = { name: 'Beta', description: '', matchType: 'ALL_MATCH_TYPE' } as const;

export const OF_CLIENT: Readonly<Record<string, OfClient>> = {
  'EvaluationOperations.batch': { ...OPERATION, call: (it) => it.evaluation.batch([]) },
  'RuleOperations.create': {
    ...OPERATION,
    call: (it) => it.rules.create('n', 'f', { segmentKey: 's', rank: 1 }),
  },
  'RuleOperations.iterate': { ...OPERATION, call: (it) => it.rules.iterate('n', 'f').next() },
  'RuleOperations.list': { ...OPERATION, call: (it) => it.rules.list('n', 'f') },
  'FlagOperations.iterate': { ...OPERATION, call: (it) => it.flags.iterate('n').next() },
  'FlagOperations.list': { ...OPERATION, call: (it) => it.flags.list('n') },
  'SegmentOperations.create': { ...OPERATION, call: (it) => it.segments.create('n', SEGMENT) },
  'SegmentOperations.get': { ...OPERATION, call: (it) => it.segments.get('n', 'beta') },
  'SegmentOperations.iterate': { ...OPERATION, call: (it) => it.segments.iterate('n').next() },
  'SegmentOperations.list': { ...OPERATION, call: (it) => it.segments.list('n') },
  'SegmentOperations.update': { ...OPERATION, call: (it) => it.segments.update('n', 'beta', UPDATE) },
  'TokenOperations.create': { ...OPERATION, call: (it) => it.tokens.create({ name: 'ci' }) },
  'TokenOperations.get': { ...OPERATION, call: (it) => it.tokens.get('id') },
  'VariantOperations.update': {
    ...OPERATION,
    call: (it) => it.variants.update('n', 'f', 'id', { key: 'red' }),
  },
  'FliptClient.close': { ...CLOSE, call: (it) => it.close() },
  'FliptClient.[Symbol.asyncDispose]': { ...CLOSE, call: (it) => it[Symbol.asyncDispose]() },
};

export const OFREP = { limitMs: 12_000 };

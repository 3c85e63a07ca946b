import { SEGMENT_OPERATORS, type SegmentOperator } from '../../engine/features.js';
import { storedChoice, withFlag } from '../state/changed-state.js';
import type { Message } from '../requests/message.js';
import type { Operation } from './operation.js';
import { pageOf } from '../requests/page.js';
import type { RuleRecord } from '../state/records.js';
import { invalidField, notFound } from '../requests/refusal.js';

/** GET /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const listRules: Operation = ({ store }, { path, query }) => {
  const namespaceKey = path('namespaceKey');
  const flagKey = path('flagKey');
  const rules = store.state.namespaces.get(namespaceKey)?.flags.get(flagKey)?.rules ?? [];
  const { items, ...page } = pageOf(rules, query);
  return { rules: items.map((rule) => shown(namespaceKey, flagKey, rule)), ...page };
};

/** POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const createRule: Operation = ({ store, stamp }, { path, message }) => {
  message.checkStrings('namespaceKey', 'flagKey');
  const { segmentKey, segmentKeys, segmentOperator, rank } = readRule(message);
  const namespaceKey = path('namespaceKey');
  const flagKey = path('flagKey');
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    const flag = namespace?.flags.get(flagKey);
    const choice = storedChoice(segmentKey === '' ? segmentKeys : [segmentKey], segmentOperator);
    if (!namespace || !flag || !choice.segmentKeys.every((key) => namespace.segments.has(key))) {
      const what = `flag "${namespaceKey}/${flagKey}" or segment "${namespaceKey}/${segmentKey}"`;
      throw notFound(`${what} not found`);
    }
    const now = new Date(stamp.date()).toISOString();
    const rule = { id: stamp.id(), ...choice, rank, distributions: [], createdAt: now, updatedAt: now };
    return {
      state: withFlag(state, namespace, { ...flag, rules: inserted(flag.rules, rule) }, stamp),
      result: shown(namespaceKey, flagKey, rule),
    };
  });
};

function readRule(message: Message): {
  segmentKey: string;
  segmentKeys: readonly string[];
  segmentOperator: SegmentOperator;
  rank: number;
} {
  const rule = {
    segmentKey: message.string('segmentKey'),
    segmentKeys: message.strings('segmentKeys'),
    segmentOperator: message.enumeration('segmentOperator', SEGMENT_OPERATORS),
    rank: message.integer('rank'),
  };
  const segments = 'segmentKey or segmentKeys';
  if (rule.segmentKey === '' && rule.segmentKeys.length === 0)
    throw invalidField(segments, 'must not be empty');
  if (rule.segmentKey !== '' && rule.segmentKeys.length > 0) {
    throw invalidField(segments, 'only one can be present');
  }
  if (rule.rank <= 0) throw invalidField('rank', 'must be greater than 0');
  return rule;
}

/** After the rules with the same rank. */
function inserted(rules: readonly RuleRecord[], rule: RuleRecord): readonly RuleRecord[] {
  const position = rules.findIndex(({ rank }) => rank > rule.rank);
  return rules.toSpliced(position < 0 ? rules.length : position, 0, rule);
}

function shown(namespaceKey: string, flagKey: string, rule: RuleRecord): unknown {
  const [only = '', ...others] = rule.segmentKeys;
  return {
    ...rule,
    namespaceKey,
    flagKey,
    ...(others.length === 0 ? { segmentKey: only, segmentKeys: [] } : { segmentKey: '' }),
    distributions: rule.distributions.map((distribution) => ({ ...distribution, ruleId: rule.id })),
  };
}

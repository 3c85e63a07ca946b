import { SEGMENT_OPERATORS } from '../../engine/features.js';
import { segmentChoice } from '../../features/stored-values.js';
import { withFlag } from '../state/state.js';
import type { Message } from '../requests/proto-message.js';
import type { Operation } from './operation.js';
import { paginated } from '../requests/query.js';
import { type RuleRecord, newDates } from '../../features/records.js';
import { invalidField, notFound } from '../requests/refused-request.js';

/** GET /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const listRules: Operation = ({ store }, { path, query }) => {
  const { namespaceKey, flagKey } = path;
  const rules = store.state.namespaces.get(namespaceKey)?.flags.get(flagKey)?.rules ?? [];
  const { items, ...rest } = paginated(rules, query);
  return { json: { rules: items.map((rule) => shown(namespaceKey, flagKey, rule)), ...rest } };
};

/** POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const createRule: Operation = ({ store, stamp }, { path, message }) => {
  message.checkStrings('namespaceKey', 'flagKey');
  const { segmentKey, choice, rank } = readRule(message);
  const { namespaceKey, flagKey } = path;
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    const flag = namespace?.flags.get(flagKey);
    if (!namespace || !flag || !choice.segmentKeys.every((key) => namespace.segments.has(key))) {
      const what = `flag "${namespaceKey}/${flagKey}" or segment "${namespaceKey}/${segmentKey}"`;
      throw notFound(`${what} not found`);
    }
    const rule = { id: stamp.id(), ...choice, rank, distributions: [], ...newDates(stamp) };
    return {
      state: withFlag(state, namespace, { ...flag, rules: inserted(flag.rules, rule) }, stamp),
      result: { json: shown(namespaceKey, flagKey, rule) },
    };
  });
};

function readRule(message: Message) {
  const segmentKey = message.string('segmentKey');
  const segmentKeys = message.strings('segmentKeys');
  const operator = message.enumeration('segmentOperator', SEGMENT_OPERATORS);
  const rank = message.integer('rank');
  const segments = 'segmentKey or segmentKeys';
  if (segmentKey === '' && segmentKeys.length === 0) throw invalidField(segments, 'must not be empty');
  if (segmentKey !== '' && segmentKeys.length > 0) throw invalidField(segments, 'only one can be present');
  if (rank <= 0) throw invalidField('rank', 'must be greater than 0');
  const choice = segmentChoice(segmentKey === '' ? segmentKeys : [segmentKey], operator);
  return { segmentKey, choice, rank };
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

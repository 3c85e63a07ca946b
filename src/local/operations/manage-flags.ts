import { SEGMENT_OPERATORS } from '../../engine/features.js';
import {
  newDates,
  nowText,
  type FlagRecord,
  type RuleRecord,
  type VariantRecord,
} from '../../features/records.js';
import { segmentChoice } from '../../features/normal-forms.js';
import { parsedJson } from '../../base/text/json.js';
import type { Message } from '../parsing/proto-message.js';
import { paginated } from '../parsing/query.js';
import { invalid, invalidField, notFound } from '../parsing/refused-request.js';
import { withFlag } from '../state/state.js';
import type { Operation } from './operation.js';

/** GET /api/v1/namespaces/{namespaceKey}/flags */
export const listFlags: Operation = ({ store }, { path: { namespaceKey }, query }) => {
  const flags = store.state.namespaces.get(namespaceKey)?.flags ?? new Map<string, FlagRecord>();
  const { items, ...rest } = paginated([...flags.values()], query);
  return { json: { flags: items.map((flag) => shownFlag(namespaceKey, flag)), ...rest } };
};

function shownFlag(namespaceKey: string, flag: FlagRecord): unknown {
  const { key, name, description, enabled, type, createdAt, updatedAt, metadata = '{}' } = flag;
  const variants = Array.from(flag.variants.values(), (each) => ({ ...each, namespaceKey, flagKey: key }));
  const defaultId = flag.type === 'VARIANT_FLAG_TYPE' ? flag.defaultVariantId : undefined;
  const defaultVariant = variants.find(({ id }) => id === defaultId);
  return {
    key,
    name,
    description,
    enabled,
    createdAt,
    updatedAt,
    variants,
    namespaceKey,
    type,
    ...(defaultVariant && { defaultVariant }),
    metadata: parsedJson(metadata),
  };
}

/** GET /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const listRules: Operation = ({ store }, { path, query }) => {
  const { namespaceKey, flagKey } = path;
  const rules = store.state.namespaces.get(namespaceKey)?.flags.get(flagKey)?.rules ?? [];
  const { items, ...rest } = paginated(rules, query);
  return { json: { rules: items.map((rule) => shownRule(namespaceKey, flagKey, rule)), ...rest } };
};

/** POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const createRule: Operation = ({ store, stamp }, { path, message }) => {
  message.texts('namespaceKey', 'flagKey');
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
      result: { json: shownRule(namespaceKey, flagKey, rule) },
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

/** Returns the rules of a flag together with one new rule. The new rule stands behind all rules of the same rank. */
function inserted(rules: readonly RuleRecord[], rule: RuleRecord): readonly RuleRecord[] {
  const position = rules.findIndex(({ rank }) => rank > rule.rank);
  return rules.toSpliced(position < 0 ? rules.length : position, 0, rule);
}

function shownRule(namespaceKey: string, flagKey: string, rule: RuleRecord): unknown {
  const [only = '', ...others] = rule.segmentKeys;
  return {
    ...rule,
    namespaceKey,
    flagKey,
    ...(others.length === 0 ? { segmentKey: only, segmentKeys: [] } : { segmentKey: '' }),
    distributions: rule.distributions.map((distribution) => ({ ...distribution, ruleId: rule.id })),
  };
}

const LARGEST_ATTACHMENT_KB = 1000;

/** PUT /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/variants/{id} */
export const updateVariant: Operation = ({ store, stamp }, { path, message }) => {
  message.texts('namespaceKey', 'flagKey', 'id');
  const content = readVariant(message);
  const { namespaceKey, flagKey, id } = path;
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    const flag = namespace?.flags.get(flagKey);
    const old = flag?.variants.get(id);
    if (!namespace || !flag || !old) throw notFound(`variant ${JSON.stringify(content.key)} not found`);
    const others = Array.from(flag.variants.values()).filter((variant) => variant !== old);
    if (others.some(({ key }) => key === content.key)) {
      throw invalid(`variant "${content.key}" is not unique for flag "${namespaceKey}/${flagKey}"`);
    }
    const variant = { ...old, ...content, updatedAt: nowText(stamp) };
    const variants = new Map(flag.variants).set(variant.id, variant);
    return {
      state: withFlag(state, namespace, { ...flag, variants }, stamp),
      result: { json: { ...variant, namespaceKey, flagKey } },
    };
  });
};

function readVariant(message: Message): Pick<VariantRecord, 'key' | 'name' | 'description' | 'attachment'> {
  const content = message.texts('key', 'name', 'description', 'attachment');
  const { key, attachment } = content;
  if (key === '') throw invalidField('key', 'must not be empty');
  if (attachment === '') return content;
  if (parsedJson(attachment) === undefined) throw invalidField('attachment', 'must be a json string');
  if (Buffer.byteLength(attachment) > LARGEST_ATTACHMENT_KB * 1024) {
    throw invalidField('attachment', `must be less than ${LARGEST_ATTACHMENT_KB} KB`);
  }
  return { ...content, attachment: compactJson(attachment) };
}

/**
 * This pattern matches the strings and the white space in a JSON text. The pattern also matches a string without a
 * closing quote, up to the end of the text, because the search would otherwise start again at each quote and take
 * quadratic time.
 */
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"?|[ \t\r\n]+/gs;

/**
 * Removes the white space outside the strings of a JSON text, and changes nothing else. The text must be valid JSON.
 */
export function compactJson(json: string): string {
  return json.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}

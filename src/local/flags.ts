import { SEGMENT_OPERATORS } from '../engine/features.js';
import { segmentChoice } from '../features/stored-values.js';
import type { FlagRecord, RuleRecord } from '../features/normalize.js';
import { parsedJson } from '../base/text/json.js';
import { json, type Operation } from './operation.js';
import { Refusal, Message, paginated, invalidField } from './request.js';
import { newIdentity, nowText, withFlag } from './store.js';

/** GET /api/v1/namespaces/{namespaceKey}/flags */
export const listFlags: Operation = ({ store }, { path: { namespaceKey }, query }) => {
  const flags = store.state.namespaces.get(namespaceKey)?.flags.values() ?? [];
  const { items, ...rest } = paginated([...flags], query);
  return json({ flags: items.map((flag) => shownFlag(namespaceKey, flag)), ...rest });
};

function shownFlag(namespaceKey: string, flag: FlagRecord): unknown {
  const { key, name, description, enabled, type, createdAt, updatedAt, metadata = '{}' } = flag;
  const variants = Array.from(flag.variants.values(), (each) => ({ ...each, namespaceKey, flagKey: key }));
  const about = { key, name, description, enabled, type, createdAt, updatedAt, namespaceKey, variants };
  const defaultId = flag.type === 'VARIANT_FLAG_TYPE' ? flag.defaultVariantId : undefined;
  return {
    ...about,
    defaultVariant: variants.find(({ id }) => id === defaultId),
    metadata: parsedJson(metadata),
  };
}

/** GET /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const listRules: Operation = ({ store }, { path: { namespaceKey, flagKey }, query }) => {
  const rules = store.state.namespaces.get(namespaceKey)?.flags.get(flagKey)?.rules ?? [];
  const { items, ...rest } = paginated(rules, query);
  return json({ rules: items.map((rule) => shownRule(namespaceKey, flagKey, rule)), ...rest });
};

/** POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules */
export const createRule: Operation = ({ store }, { path: { namespaceKey, flagKey }, text }) => {
  const message = Message.of(text);
  const { segmentKey } = message.strings('namespaceKey', 'flagKey', 'segmentKey');
  const segmentKeys = message.stringList('segmentKeys');
  const operator = message.enumeration('segmentOperator', SEGMENT_OPERATORS);
  const rank = message.integer('rank');
  const segments = 'segmentKey or segmentKeys';
  if (segmentKey === '' && segmentKeys.length === 0) throw invalidField(segments, 'must not be empty');
  if (segmentKey !== '' && segmentKeys.length > 0) throw invalidField(segments, 'only one can be present');
  if (rank <= 0) throw invalidField('rank', 'must be greater than 0');
  const choice = segmentChoice(segmentKey === '' ? segmentKeys : [segmentKey], operator);
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    const flag = namespace?.flags.get(flagKey);
    if (!namespace || !flag || !choice.segmentKeys.every((key) => namespace.segments.has(key))) {
      const what = `flag "${namespaceKey}/${flagKey}" or segment "${namespaceKey}/${segmentKey}"`;
      throw new Refusal(404, `${what} not found`);
    }
    const rule = { ...newIdentity(), ...choice, rank, distributions: [] };
    // The sort is stable: the new rule comes behind those of its rank.
    const rules = [...flag.rules, rule].sort((one, other) => one.rank - other.rank);
    return {
      state: withFlag(state, namespace, { ...flag, rules }),
      result: json(shownRule(namespaceKey, flagKey, rule)),
    };
  });
};

function shownRule(namespaceKey: string, flagKey: string, rule: RuleRecord): unknown {
  const [only = '', ...others] = rule.segmentKeys;
  const segments = others.length === 0 ? { segmentKey: only, segmentKeys: [] } : { segmentKey: '' };
  const distributions = rule.distributions.map((distribution) => ({ ...distribution, ruleId: rule.id }));
  return { ...rule, namespaceKey, flagKey, ...segments, distributions };
}

/** PUT /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/variants/{id} */
export const updateVariant: Operation = ({ store }, { path: { namespaceKey, flagKey, id }, text }) => {
  const message = Message.of(text);
  message.strings('namespaceKey', 'flagKey', 'id');
  const content = message.strings('key', 'name', 'description');
  const { key } = content;
  if (key === '') throw invalidField('key', 'must not be empty');
  const attachment = storedAttachment(message.string('attachment'));
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    const flag = namespace?.flags.get(flagKey);
    const old = flag?.variants.get(id);
    if (!namespace || !flag || !old) throw new Refusal(404, `variant ${JSON.stringify(key)} not found`);
    if ([...flag.variants.values()].some((other) => other !== old && other.key === key)) {
      throw new Refusal(400, `variant "${key}" is not unique for flag "${namespaceKey}/${flagKey}"`);
    }
    const variant = { ...old, ...content, attachment, updatedAt: nowText() };
    const variants = new Map(flag.variants).set(id, variant);
    return {
      state: withFlag(state, namespace, { ...flag, variants }),
      result: json({ ...variant, namespaceKey, flagKey }),
    };
  });
};

const LARGEST_ATTACHMENT_KB = 1000;

/** Flipt removes the white space between the tokens of an attachment, and keeps its numbers as they were written. */
function storedAttachment(attachment: string): string {
  if (attachment === '') return '';
  if (parsedJson(attachment) === undefined) throw invalidField('attachment', 'must be a json string');
  if (Buffer.byteLength(attachment) > LARGEST_ATTACHMENT_KB * 1024) {
    throw invalidField('attachment', `must be less than ${LARGEST_ATTACHMENT_KB} KB`);
  }
  // Without the `?`, a regular expression takes quadratic time for texts that do not end.
  return attachment.replace(/("[^"\\]*(?:\\.[^"\\]*)*"?)|[ \t\r\n]+/gs, '$1');
}

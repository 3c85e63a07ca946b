import { parsedJson } from '../../text/json.js';
import { withFlag } from '../state/state.js';
import type { Message } from '../requests/proto-message.js';
import type { Operation } from './operation.js';
import { type VariantRecord, nowText } from '../../features/records.js';
import { invalid, invalidField, notFound } from '../requests/refused-request.js';

const LARGEST_ATTACHMENT_KB = 1000;

/** PUT /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/variants/{id} */
export const updateVariant: Operation = ({ store, stamp }, { path, message }) => {
  message.checkStrings('namespaceKey', 'flagKey', 'id');
  const content = readContent(message);
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

function readContent(message: Message): Pick<VariantRecord, 'key' | 'name' | 'description' | 'attachment'> {
  const content = {
    key: message.string('key'),
    name: message.string('name'),
    description: message.string('description'),
    attachment: message.string('attachment'),
  };
  if (content.key === '') throw invalidField('key', 'must not be empty');
  return { ...content, attachment: checkedAttachment(content.attachment) };
}

function checkedAttachment(attachment: string): string {
  if (attachment === '') return '';
  if (parsedJson(attachment) === undefined) throw invalidField('attachment', 'must be a json string');
  if (Buffer.byteLength(attachment) > LARGEST_ATTACHMENT_KB * 1024) {
    throw invalidField('attachment', `must be less than ${LARGEST_ATTACHMENT_KB} KB`);
  }
  return compactJson(attachment);
}

/**
 * A string without its closing quote counts to its end: looking again from each of its quotes would take the square of
 * its length.
 */
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"?|[ \t\r\n]+/gs;

/** JSON text without the white space between its tokens; otherwise as it was written. Expects valid JSON of a few MB. */
export function compactJson(json: string): string {
  return json.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}

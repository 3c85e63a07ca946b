import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { parsedJson } from '../../text/json.js';
import type { NamespaceRecord } from '../../features/records.js';
import type { State, TokenRecord } from './state.js';

const FORMAT = 'openfeature-flipt-provider data';
const VERSION = 1;

/** The text of a data file: one line that says what it is, with a checksum, and one line with the state. */
export function writeState(state: State): string {
  const body = JSON.stringify(state, (_name, value: unknown) =>
    value instanceof Map ? [...value.values()] : value,
  );
  return `${JSON.stringify({ format: FORMAT, version: VERSION, sha256: checksum(body) })}\n${body}\n`;
}

/** Whether the file was written by this service, whatever has become of its content. */
export function beginsAsState(beginning: string): boolean {
  return beginning.startsWith(`{"format":${JSON.stringify(FORMAT)}`);
}

/** The state in a data file's text, or a message that says why it cannot be used. */
export function readState(text: string): State | { readonly wrong: string } {
  const [head = '', body = ''] = text.split('\n');
  const header = v.safeParse(headerSchema, parsedJson(head));
  if (!header.success) return { wrong: 'it is not a data file of this service' };
  const { version, sha256 } = header.output;
  if (version !== VERSION)
    return { wrong: `it has version ${version} of the format, this service reads version ${VERSION}` };
  if (sha256 !== checksum(body)) return { wrong: 'it is damaged: its checksum does not match its content' };
  // It looks no further, because the checksum shows that this service has written the content.
  const content = v.safeParse(stateSchema, parsedJson(body, mapped));
  return content.success
    ? content.output
    : { wrong: 'it does not have the content of a data file of this service' };
}

const headerSchema = v.object({ format: v.literal(FORMAT), version: v.number(), sha256: v.string() });
const stateSchema = v.object({
  namespaces: v.instance(Map<string, NamespaceRecord>),
  tokens: v.instance(Map<string, TokenRecord>),
});

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The lists that are maps in the state, each with the member that is its items' key. */
const MAPS: ReadonlyMap<string, string> = new Map([
  ['namespaces', 'key'],
  ['flags', 'key'],
  ['segments', 'key'],
  ['variants', 'id'],
  ['tokens', 'id'],
]);

// A file written by version 0.1.0 has no dates of flags.
const SINCE = '1970-01-01T00:00:00.000Z';
const UNDATED = { createdAt: SINCE, updatedAt: SINCE };

function mapped(name: string, value: unknown): unknown {
  const key = MAPS.get(name);
  if (key === undefined || !Array.isArray(value)) return value;
  const items = name === 'flags' ? value.map((flag: object) => ({ ...UNDATED, ...flag })) : value;
  return new Map(items.map((item: object) => [Reflect.get(item, key), item]));
}

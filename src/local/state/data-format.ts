import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { COMPARISON_TYPES, MATCH_TYPES, SEGMENT_OPERATORS } from '../../engine/features.js';
import type { FlagRecord, NamespaceRecord, State } from './records.js';

const FORMAT = 'openfeature-flipt-provider data';
const VERSION = 1;

/** The text of a data file: one line that says what it is, with a checksum, and one line with the state. */
export function writeState({ namespaces, tokens }: State): string {
  const body = JSON.stringify({
    namespaces: Array.from(namespaces.values(), (namespace) => ({
      ...namespace,
      flags: Array.from(namespace.flags.values(), (flag) => ({
        ...flag,
        variants: [...flag.variants.values()],
      })),
      segments: [...namespace.segments.values()],
    })),
    tokens: [...tokens.values()],
  });
  return `${JSON.stringify({ format: FORMAT, version: VERSION, sha256: checksum(body) })}\n${body}\n`;
}

/** The state in a data file's text, or a message that says why it cannot be used. */
export function readState(text: string): State | { readonly wrong: string } {
  const [head = '', body = ''] = text.split('\n');
  const header = v.safeParse(headerSchema, parse(head));
  if (!header.success) return { wrong: 'is not a data file of this service' };
  const { version, sha256 } = header.output;
  if (version !== VERSION)
    return { wrong: `has version ${version} of the format; this is version ${VERSION}` };
  if (sha256 !== checksum(body)) return { wrong: 'is damaged: its checksum does not match its content' };
  const content = v.safeParse(contentSchema, parse(body));
  return content.success
    ? content.output
    : { wrong: 'does not have the content of a data file of this service' };
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const headerSchema = v.object({ format: v.literal(FORMAT), version: v.number(), sha256: v.string() });

const text = v.string();
const dated = { createdAt: text, updatedAt: text };
const identified = { id: text, ...dated };
const segmentChoice = {
  segmentKeys: v.array(text),
  segmentOperator: v.union([v.picklist(SEGMENT_OPERATORS), v.number()]),
};

const segment = v.object({
  key: text,
  name: text,
  description: text,
  matchType: v.union([v.picklist(MATCH_TYPES), v.number()]),
  constraints: v.array(
    v.object({
      ...identified,
      type: v.picklist(COMPARISON_TYPES),
      property: text,
      operator: text,
      value: text,
      description: text,
    }),
  ),
  ...dated,
});

// A file written by version 0.1.0 has no dates of flags.
const since = v.optional(text, '1970-01-01T00:00:00.000Z');

const flagMembers = {
  key: text,
  name: text,
  description: text,
  enabled: v.boolean(),
  createdAt: since,
  updatedAt: since,
  variants: v.pipe(
    v.array(v.object({ ...identified, key: text, name: text, description: text, attachment: text })),
    v.transform((variants) => new Map(variants.map((variant) => [variant.id, variant]))),
  ),
  rules: v.array(
    v.object({
      ...identified,
      ...segmentChoice,
      rank: v.number(),
      distributions: v.array(v.object({ ...identified, variantId: text, rollout: v.number() })),
    }),
  ),
};

const flag = v.variant('type', [
  v.object({
    ...flagMembers,
    type: v.literal('VARIANT_FLAG_TYPE'),
    defaultVariantId: v.optional(text),
  }),
  v.object({
    ...flagMembers,
    type: v.literal('BOOLEAN_FLAG_TYPE'),
    rollouts: v.array(
      v.variant('kind', [
        v.object({ kind: v.literal('threshold'), percentage: v.number(), value: v.boolean() }),
        v.object({ kind: v.literal('segment'), ...segmentChoice, value: v.boolean() }),
      ]),
    ),
  }),
]);

const namespace = v.object({
  key: text,
  name: text,
  description: text,
  version: v.optional(text),
  flags: v.pipe(
    v.array(flag),
    v.transform((flags): ReadonlyMap<string, FlagRecord> => new Map(flags.map((each) => [each.key, each]))),
  ),
  segments: v.pipe(
    v.array(segment),
    v.transform((segments) => new Map(segments.map((each) => [each.key, each]))),
  ),
});

function isStringMap(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}

const token = v.object({
  ...identified,
  hash: text,
  namespaceKey: v.optional(text),
  expiresAt: v.optional(text),
  // Not Valibot's record, which drops entries with names such as `constructor`.
  metadata: v.custom<Readonly<Record<string, string>>>(isStringMap),
});

const contentSchema = v.object({
  namespaces: v.pipe(
    v.array(namespace),
    v.transform(
      (list): ReadonlyMap<string, NamespaceRecord> => new Map(list.map((each) => [each.key, each])),
    ),
  ),
  tokens: v.pipe(
    v.array(token),
    v.transform((list) => new Map(list.map((each) => [each.id, each]))),
  ),
});

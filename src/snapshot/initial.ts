import { createHash } from 'node:crypto';
import type { Semantics } from '../engine/features.js';
import { quoted } from '../text/quote.js';
import { writeBody } from './body/write-body.js';

/**
 * The body of the snapshot that the user gave: the object itself, or a body made from a features document. Rejects with
 * the mistakes in a features document.
 */
export async function initialBody(given: object, namespace: string, semantics: Semantics): Promise<object> {
  if (!isFeaturesDocument(given)) return given;
  // Only users who give a features document pay for the code that reads it.
  const { importDocuments } = await import('../local/features/import-documents.js');
  const features = (await importDocuments(given, semantics)).get(namespace);
  if (features === undefined) throw new Error(`it has no namespace ${quoted(namespace)}`);
  const body = writeBody(namespace, { features, semantics, digest: undefined });
  // The digest shows a reader that v2's rules apply.
  return semantics === 'v1' ? body : { ...body, digest: digest(JSON.stringify(body)) };
}

/**
 * Whether Flipt v1 wrote the body for a client that does not say its version. Only a constraint on entity ids shows it.
 * Default variants are left out, too, but so they are where there are none.
 */
export function isForOldClients(body: string): boolean {
  return body.includes('"type":"UNKNOWN_CONSTRAINT_COMPARISON_TYPE"') && !body.includes('"digest":"');
}

/** Looks for members that only a features document has. If neither form shows, both give the same result. */
function isFeaturesDocument(given: object): boolean {
  if ('digest' in given) return false;
  if ('segments' in given || 'version' in given || typeof Reflect.get(given, 'namespace') === 'string') {
    return true;
  }
  return !some(given, 'flags', isSnapshotFlag) && some(given, 'flags', isFeaturesFlag);
}

/** In a snapshot, a flag that cannot be read may have members of any name. One other flag is enough to recognise it. */
function isSnapshotFlag(flag: object): boolean {
  return (
    'createdAt' in flag ||
    some(flag, 'rollouts', (rollout) => 'type' in rollout) ||
    some(flag, 'rules', (rule) => some(rule, 'segments', (segment) => 'key' in segment))
  );
}

function isFeaturesFlag(flag: object): boolean {
  return (
    'variants' in flag ||
    some(flag, 'rollouts', (rollout) => !('type' in rollout)) ||
    some(flag, 'rules', isFeaturesRule)
  );
}

function isFeaturesRule(rule: object): boolean {
  const segments: unknown = Reflect.get(rule, 'segments');
  return (
    'segment' in rule || (Array.isArray(segments) && segments.some((segment) => typeof segment === 'string'))
  );
}

function some(holder: object, name: string, test: (member: object) => boolean): boolean {
  const list: unknown = Reflect.get(holder, name);
  return Array.isArray(list) && list.some((member) => isObject(member) && test(member));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

import { unlessItThrows } from '../base/text/describe.js';
import type { Semantics } from '../engine/features.js';
import { evaluateBatch, evaluateOne } from './evaluate.js';
import { createRule, listFlags, listRules, updateVariant } from './flags.js';
import { explainQuestion, followChanges, removeOverride, setOverride } from './page.js';
import { showFile, showPage, showState } from './page.js';
import { json, NO_PARTS, permit, type PathParts, type Caller, type Operation } from './operation.js';
import { Refusal, invalidField } from './request.js';
import { createSegment, getSegment, listSegments, updateSegment } from './segments.js';
import { getSnapshot, streamSnapshot } from './snapshot.js';
import { createToken, getToken } from './tokens.js';

/** All but an open route need a token that is valid for the namespace in the path. */
type Route = readonly [method: string, pattern: string, operation: Operation, access?: 'open'];

const namespace = '/api/v1/namespaces/:namespaceKey';
const flag = `${namespace}/flags/:flagKey`;
const overridden = '/local/v1/namespaces/:namespaceKey/flags/:flagKey';
const client = '/client/v2/environments/:environment/namespaces/:namespaceKey';

const ALWAYS: readonly Route[] = [
  ['GET', '/health', () => json({ status: 'SERVING' }), 'open'],
  ['GET', '/meta/info', ({ semantics }) => json(INFO[semantics])],
  ['POST', '/evaluate/v1/batch', evaluateBatch],
  ['POST', '/evaluate/v1/boolean', evaluateOne('boolean')],
  ['POST', '/evaluate/v1/variant', evaluateOne('variant')],
  ['GET', '/internal/v1/evaluation/snapshot/namespace/:namespaceKey', getSnapshot],
  ['PUT', overridden, setOverride],
  ['DELETE', overridden, removeOverride],
  ['GET', '/', showPage, 'open'],
  ['GET', '/local/page/:file', showFile, 'open'],
  ['GET', '/local/v1/state', showState, 'open'],
  ['GET', '/local/v1/changes', followChanges],
  ['POST', '/local/v1/namespaces/:namespaceKey/explanations', explainQuestion],
];

const V1: readonly Route[] = [
  ['POST', '/auth/v1/method/token', createToken],
  ['GET', '/auth/v1/tokens/:id', getToken],
  ['GET', `${namespace}/flags`, listFlags],
  ['GET', `${flag}/rules`, listRules],
  ['POST', `${flag}/rules`, createRule],
  ['GET', `${flag}/variants`, notServed],
  ['PUT', `${flag}/variants/:id`, updateVariant],
  ['GET', `${namespace}/segments`, listSegments],
  ['POST', `${namespace}/segments`, createSegment],
  ['GET', `${namespace}/segments/:key`, getSegment],
  ['PUT', `${namespace}/segments/:key`, updateSegment],
];

/** The environment in the path has no effect, as in Flipt: the header counts. */
const V2: readonly Route[] = [
  ['GET', `${client}/snapshot`, getSnapshot],
  ['GET', `${client}/stream`, streamSnapshot],
];

/** The provider chooses its rules of evaluation by this version. */
const INFO: Readonly<Record<Semantics, object>> = {
  v1: { version: 'v1.61.1', isRelease: true },
  'v2.8': { build: { version: 'v2.8.0', isRelease: true } },
  v2: { build: { version: 'v2.11.0', isRelease: true } },
};

function notServed(): never {
  throw new Refusal(501, 'Method Not Allowed');
}

export function router(semantics: Semantics) {
  const routes = [...ALWAYS, ...(semantics === 'v1' ? V1 : V2)].map(
    ([method, pattern, operation, access]) => {
      return { method, pattern: pattern.split('/'), operation, isOpen: access === 'open' };
    },
  );
  return (method: string, pathname: string, caller: Caller | undefined) => {
    const parts = partsOf(pathname);
    const onPath = routes.filter(({ pattern }) => fits(pattern, parts));
    const route = onPath.find((each) => each.method === method);
    if (!route)
      throw onPath.length > 0 ? new Refusal(501, 'Method Not Allowed') : new Refusal(404, 'Not Found');
    const named = route.pattern.flatMap((name, at) => {
      const part = parts[at] || (name === ':namespaceKey' ? 'default' : '');
      return name.startsWith(':') ? [[name.slice(1), part] as const] : [];
    });
    const path: PathParts = { ...NO_PARTS, ...Object.fromEntries(named) };
    if (!route.isOpen) permit(caller, path.namespaceKey || caller?.namespaceKey);
    const [empty] = named.find(([, part]) => part === '') ?? [];
    if (empty !== undefined) throw invalidField(empty, 'must not be empty');
    return { operation: route.operation, path };
  };
}

/** Flipt decodes a path before it divides it, so that an encoded slash divides it, too. */
function partsOf(pathname: string): readonly string[] {
  const decoded = unlessItThrows(() => decodeURIComponent(pathname));
  if (decoded === undefined) throw new Refusal(400, 'the path has a % that encodes nothing');
  return decoded.replace(/(.)\/$/, '$1').split('/');
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length && pattern.every((name, at) => name.startsWith(':') || name === parts[at])
  );
}

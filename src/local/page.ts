import { readFile } from 'node:fs/promises';
import { compileFeatures } from '../engine/compile.js';
import { explain } from '../engine/explain.js';
import { explanationText, flagWords } from '../engine/explanation-text.js';
import type { FlagRecord, NamespaceRecord } from '../features/normalize.js';
import { kindOf, quoted } from '../base/text/describe.js';
import { json, type Service, type Request, type Operation, type TextAnswer } from './operation.js';
import type { Target } from './overrides.js';
import { Refusal, Message, objectIn } from './request.js';

/** No other file is ever read, whatever the path of a request is. */
const CONTENT_TYPES = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/**
 * Nothing from elsewhere, no inline script, and no frame in which another site could trick somebody into pressing
 * buttons.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

async function file(name: keyof typeof CONTENT_TYPES): Promise<TextAnswer> {
  const text = await readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8').catch(() => {
    throw new Refusal(
      501,
      'the files of this page are not beside the code, which seems to be bundled: ' +
        'leave openfeature-flipt-provider out of the bundle (external)',
    );
  });
  return { text, headers: { ...HEADERS, 'Content-Type': CONTENT_TYPES[name] } };
}

/** GET / answers all but browsers as Flipt does. */
export const showPage: Operation = (_, { header }) => {
  if (/\btext\/html\b/i.test(header('accept') ?? '')) return file('page.html');
  throw new Refusal(404, 'Not Found');
};

/** GET /local/page/{file} */
export const showFile: Operation = (_, { path }) => {
  if (path.file === 'page.css' || path.file === 'page.js') return file(path.file);
  throw new Refusal(404, 'Not Found');
};

/**
 * GET /local/v1/state has all that the page shows. A 200 even without a valid token, because a browser reports a 401
 * on its console.
 */
export const showState: Operation = (service, { caller }) => {
  if (!caller) return json({ accepted: false });
  const isAll = caller.namespaceKey === undefined;
  const namespaces = [...service.store.state.namespaces.values()]
    .filter(({ key }) => isAll || key === caller.namespaceKey)
    .map((namespace) => ({
      key: namespace.key,
      flags: Array.from(namespace.flags.values(), (flag) => shownFlag(service, flag, namespace)),
    }));
  // The message may name flags of any namespace.
  return json({ accepted: true, refused: isAll ? service.refused : '', namespaces });
};

function shownFlag({ overrides }: Service, flag: FlagRecord, namespace: NamespaceRecord): object {
  const { key, name, description, enabled } = flag;
  const isBoolean = flag.type === 'BOOLEAN_FLAG_TYPE';
  const own = overrides.of(namespace.key, key);
  const forAll = own.find(({ entity }) => entity === undefined);
  return {
    key,
    name,
    description,
    enabled,
    type: isBoolean ? 'boolean' : 'variant',
    variants: isBoolean ? [] : Array.from(flag.variants.values(), (variant) => variant.key),
    value: forAll?.value,
    forSome: own.length - (forAll ? 1 : 0),
    words: flagWords(flag, namespace),
  };
}

/** GET /local/v1/changes sends an event at the start, and after each change of features or overrides. */
export const followChanges: Operation = () => ({
  contentType: 'text/event-stream',
  next: () => 'data: changed\n\n',
});

/** POST /local/v1/namespaces/{namespaceKey}/explanations with `{ "flag": …, "entity": …, "context": { … } }` */
export const explainQuestion: Operation = (
  { overrides, semantics },
  { path: { namespaceKey: namespace }, text },
) => {
  const message = Message.of(text);
  const question = {
    namespace,
    ...message.strings('flag', 'entity'),
    attributes: message.stringMap('context'),
  };
  const features = overrides.served(namespace);
  const explanation = explain(features && compileFeatures(features, semantics), question);
  return json({ explanation, text: explanationText(explanation) });
};

/** PUT /local/v1/namespaces/{namespaceKey}/flags/{flagKey} with `{ "value": …, "for": … }` */
export const setOverride: Operation = ({ overrides }, request) => {
  const body = overrideIn(request, ['value', 'for']);
  if (!Object.hasOwn(body, 'value'))
    throw new Refusal(400, 'value: missing; expected what the flag is to be');
  overrides.set(targetOf(request, body.for), body.value);
  return json({});
};

/** DELETE /local/v1/namespaces/{namespaceKey}/flags/{flagKey}, with `{ "for": … }` for one user's override only */
export const removeOverride: Operation = ({ overrides }, request) => {
  overrides.remove(targetOf(request, overrideIn(request, ['for']).for));
  return json({});
};

function overrideIn({ text }: Request, members: readonly string[]) {
  const body = objectIn(text);
  const unknown = Object.keys(body).find((name) => !members.includes(name));
  if (unknown === undefined) return body;
  throw new Refusal(400, `${quoted(unknown)}: unknown member, expected ${members.join(' and ')}`);
}

function targetOf({ path: { namespaceKey, flagKey } }: Request, entity: unknown): Target {
  if (entity === undefined || (typeof entity === 'string' && entity !== ''))
    return { namespaceKey, flagKey, entity };
  throw new Refusal(400, `for: expected the id of an entity, got ${entity === '' ? "''" : kindOf(entity)}`);
}

import { readFile } from 'node:fs/promises';
import { compileFeatures } from '../../engine/compile.js';
import { explain } from '../../engine/explain.js';
import { explanationText } from '../../engine/explanation-text.js';
import type { Followed, Operation, OperationResult } from '../operations/operation.js';
import { route, type Route } from '../operations/routes.js';
import { EVENT_STREAM, serverSentEvent } from '../../base/text/server-sent-event.js';
import { notFound, notServed } from '../parsing/refused-request.js';
import { flagWords } from '../../engine/explanation-text.js';
import type { FlagRecord, NamespaceRecord } from '../../features/records.js';
import type { Override } from '../state/apply-overrides.js';

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/**
 * The files of the web page. The routes of the web page never read a file that is not in this list, whatever the path
 * of the request is.
 */
const FILES = ['page.html', 'page.css', 'page.js', 'elements.js', 'flag-card.js', 'service.js'] as const;

async function asset(name: (typeof FILES)[number]): Promise<OperationResult> {
  const ending = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES;
  try {
    const text = await readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8');
    return { text, headers: { ...HEADERS, 'Content-Type': TYPES[ending] } };
  } catch {
    throw notServed(BUNDLED);
  }
}

/**
 * Because of these headers, the web page loads nothing from another origin and runs no inline script. The headers also
 * keep other sites from showing the web page in a frame, in which they could trick visitors into pressing its buttons.
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

const BUNDLED =
  'the files of this page are not beside the code, which seems to be bundled: ' +
  'leave openfeature-flipt-provider out of the bundle (external)';

/**
 * GET / sends the web page only to clients whose header `Accept` names `text/html`, such as browsers. All other clients
 * get a 404.
 */
const showPage: Operation = (_, { header }) => {
  if (!/\btext\/html\b/i.test(header('accept') ?? '')) throw notFound('Not Found');
  return asset('page.html');
};

/** GET /local/page/{file} */
const showFile: Operation = (_, { path }) => {
  const name = FILES.find((file) => file === path.file);
  if (name === undefined) throw notFound('Not Found');
  return asset(name);
};

/**
 * GET /local/v1/session answers with `accepted: true` if the sender's token is valid, or if the service requires no
 * token. The web page requests the session before it requests any other data.
 */
const showSession: Operation = (_, { caller }) => ({
  json: { accepted: caller.namespaceKey !== '' },
});

/**
 * GET /local/v1/changes sends one event at the start, and one event after changes of the features, the tokens or the
 * overrides.
 */
const followChanges: Operation = ({ store }) => {
  let changes = 0;
  const events: Followed = {
    type: EVENT_STREAM,
    known: undefined,
    latest: () => String(changes),
    textOf: (version) => serverSentEvent(version, version),
    onChange: (changed) =>
      store.onChange(() => {
        changes++;
        changed();
      }),
  };
  return { events };
};

/**
 * POST /local/v1/namespaces/{namespaceKey}/explanations with `{ "flag": …, "entity": …, "context": { … } }` explains
 * why a flag has its value for an entity.
 */
const explainQuestion: Operation = ({ overrides, semantics }, { path, message }) => {
  const namespace = path.namespaceKey;
  const question = {
    namespace,
    ...message.texts('flag', 'entity'),
    attributes: message.stringMap('context'),
  };
  const features = overrides.served(namespace);
  const explanation = explain(features && compileFeatures(features, semantics), question);
  return { json: { explanation, text: explanationText(explanation) } };
};

/**
 * GET /local/v1/refused answers with a message about what Flipt would refuse in the features that the service has
 * loaded. Only senders that can use all namespaces get the message, because the message might name flags of any
 * namespace.
 */
const showRefused: Operation = ({ store }, { caller }) => ({
  json: { refused: caller.namespaceKey === undefined ? (store.state.refused ?? '') : '' },
});

/** GET /local/v1/namespaces lists the flags that the sender can access, with descriptions for people. */
const listFlags: Operation = ({ store, overrides }, { caller }) => {
  const namespaces = [...store.state.namespaces.values()];
  const own = namespaces.filter(({ key }) => key === (caller.namespaceKey ?? key));
  const json = own.map((namespace) => {
    const all = overrides.of(namespace.key);
    const flags = Array.from(namespace.flags.values(), (flag) => shownFlag(flag, namespace, all));
    return { key: namespace.key, name: namespace.name, flags };
  });
  return { json };
};

/**
 * Returns a flag in the form in which the web page shows it. In the result, `value` is the override for all entities;
 * the member is absent if there is no override for all entities. `forSome` is the number of entities that have an
 * override of their own.
 */
function shownFlag(flag: FlagRecord, namespace: NamespaceRecord, all: readonly Override[]): object {
  const { key, name, description, enabled, type } = flag;
  const overrides = all.filter(({ flagKey }) => flagKey === key);
  const forAll = overrides.find(({ entity }) => entity === undefined);
  return {
    key,
    name,
    description,
    enabled,
    type: type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant',
    variants:
      type === 'BOOLEAN_FLAG_TYPE' ? [] : Array.from(flag.variants.values(), (variant) => variant.key),
    ...(forAll && { value: forAll.value }),
    forSome: overrides.length - (forAll ? 1 : 0),
    words: flagWords(flag, namespace),
  };
}

/**
 * The routes of the web page and of the requests that only the web page sends. Flipt itself does not have these routes.
 */
export const WEB_PAGE_ROUTES: readonly Route[] = [
  route('GET /', 'open', showPage),
  route('GET /local/page/:file', 'open', showFile),
  route('GET /local/v1/session', 'open', showSession),
  route('GET /local/v1/namespaces', 'body', listFlags),
  route('GET /local/v1/refused', 'body', showRefused),
  route('POST /local/v1/namespaces/:namespaceKey/explanations', 'namespace', explainQuestion),
  route('GET /local/v1/changes', 'body', followChanges),
];

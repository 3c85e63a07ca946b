import { compileFeatures } from '../../engine/compiled-features.js';
import { explain } from '../../engine/explain/explain.js';
import { explanationText } from '../../engine/explain/explanation-text.js';
import type { Followed, Operation } from '../operations/operation.js';
import { route, type Route } from '../operations/routes.js';
import { EVENT_STREAM, serverSentEvent } from '../../text/server-sent-event.js';
import { showFile, showPage } from './page-assets.js';
import { flagWords } from '../../engine/explain/flag-words.js';
import type { FlagRecord, NamespaceRecord } from '../../features/records.js';
import type { Override } from '../state/apply-overrides.js';

/** Whether the sender's token is accepted, or no token is required. So the page knows before it tries anything. */
const showSession: Operation = (_, { caller }) => ({
  json: { accepted: caller.namespaceKey !== '' },
});

/** One event at the start, and one after each change of what is evaluated. */
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

/** POST /local/v1/namespaces/{namespaceKey}/explanations: `{ "flag": …, "entity": …, "context": { … } }` */
const explainQuestion: Operation = ({ overrides, semantics }, { path, message }) => {
  const namespace = path.namespaceKey;
  const question = {
    namespace,
    flag: message.string('flag'),
    entity: message.string('entity'),
    attributes: message.stringMap('context'),
  };
  const features = overrides.served(namespace);
  const explanation = explain(features && compileFeatures(features, semantics), question);
  return { json: { explanation, text: explanationText(explanation) } };
};

/** GET /local/v1/namespaces: the flags that the sender may see, described for people. */
export const listFlags: Operation = ({ store, overrides }, { caller }) => {
  const namespaces = [...store.state.namespaces.values()];
  const own = namespaces.filter(
    ({ key }) => caller.namespaceKey === undefined || caller.namespaceKey === key,
  );
  const json = own.map((namespace) => {
    const flags = Array.from(namespace.flags.values(), (flag) =>
      shownFlag(flag, namespace, overrides.of(namespace.key)),
    );
    return { key: namespace.key, name: namespace.name, flags };
  });
  return { json };
};

/** `value` is absent if none is set for everybody. `forSome` counts the entities that have a value of their own. */
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

/** The page for people, and the routes that it uses. Flipt does not have them. */
export const WEB_PAGE_ROUTES: readonly Route[] = [
  route('GET /', 'open', showPage),
  route('GET /local/page/:file', 'open', showFile),
  route('GET /local/v1/session', 'open', showSession),
  route('GET /local/v1/namespaces', 'body', listFlags),
  route('POST /local/v1/namespaces/:namespaceKey/explanations', 'namespace', explainQuestion),
  route('GET /local/v1/changes', 'body', followChanges),
];

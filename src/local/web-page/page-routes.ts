import { compileFeatures } from '../../engine/compiled-features.js';
import { explain } from '../../engine/explain/explain.js';
import { explanationText } from '../../engine/explain/explanation-text.js';
import type { Followed, Operation } from '../operations/operation.js';
import { route, type Route } from '../operations/routes.js';
import { EVENT_STREAM, serverSentEvent } from '../../text/server-sent-event.js';
import { showFile, showPage } from './page-assets.js';
import { listFlags } from './shown-flags.js';

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
  const namespace = path('namespaceKey');
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

/** The page for people, and the routes that it uses. Flipt does not have them. */
export const WEB_PAGE_ROUTES: readonly Route[] = [
  route('GET /', 'open', showPage),
  route('GET /local/page/:file', 'open', showFile),
  route('GET /local/v1/session', 'open', showSession),
  route('GET /local/v1/namespaces', 'body', listFlags),
  route('POST /local/v1/namespaces/:namespaceKey/explanations', 'namespace', explainQuestion),
  route('GET /local/v1/changes', 'body', followChanges),
];

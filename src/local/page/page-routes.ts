import type { EventOperation, Operation } from '../operations/operation.js';
import { at, json, type Route } from '../operations/routes.js';
import { SERVER_EVENTS, serverEvent } from '../operations/server-event.js';
import { explainQuestion } from './explain-question.js';
import { showFile, showPage } from './page-assets.js';
import { listFlags } from './shown-flags.js';

/** Whether the sender's token is accepted, or no token is required. So the page knows before it tries anything. */
const showSession: Operation = (_, { caller }) => ({ accepted: caller.namespaceKey !== '' });

/** One event at the start, and one after each change of what is evaluated. */
const followChanges: EventOperation = ({ overrides }) => {
  let changes = 0;
  return {
    type: SERVER_EVENTS,
    known: undefined,
    latest: () => String(changes),
    textOf: (version) => serverEvent(version, version),
    onChange: (changed) =>
      overrides.onChange(() => {
        changes++;
        changed();
      }),
  };
};

/** The page for people, and the routes that it uses. Flipt does not have them. */
export const PAGE_ROUTES: readonly Route[] = [
  { ...at('GET', '/', 'open'), answers: 'asset', operation: showPage },
  { ...at('GET', '/local/page/:file', 'open'), answers: 'asset', operation: showFile },
  json('GET', '/local/v1/session', 'open', showSession),
  json('GET', '/local/v1/namespaces', 'body', listFlags),
  json('POST', '/local/v1/namespaces/:namespaceKey/explanations', 'namespace', explainQuestion),
  { ...at('GET', '/local/v1/changes', 'body'), answers: 'events', operation: followChanges },
];

import { isPlainObject, kindOf, quoted } from '../../base/text/describe.js';
import { parsedJson } from '../../base/text/json.js';
import { invalid, notFound, tooLarge } from '../parsing/refused-request.js';
import type { OverrideProblem, OverrideTarget } from '../state/flag-overrides.js';
import type { Operation, RoutedRequest } from './operation.js';

/**
 * The largest number of characters in the body of a request that sets or removes an override. There is a limit because
 * `JSON.parse` blocks the event loop while it parses the body.
 */
const LONGEST_BODY = 1_000_000;

/**
 * PUT /local/v1/namespaces/{namespaceKey}/flags/{flagKey} with `{ "value": …, "for": … }` overrides the value of a
 * flag. Flipt itself does not have this operation.
 */
export const overrideFlag: Operation = ({ overrides }, request) => {
  const body = bodyOf(request, ['value', 'for']);
  if (!Object.hasOwn(body, 'value')) throw invalid('value: missing; expected what the flag is to be');
  refuse(overrides.set(targetOf(request, body), body.value));
  return { json: {} };
};

/**
 * DELETE /local/v1/namespaces/{namespaceKey}/flags/{flagKey} with `{ "for": … }` removes the override for one entity.
 * Without a body, the DELETE request removes all overrides of the flag.
 */
export const restoreFlag: Operation = ({ overrides }, request) => {
  refuse(overrides.remove(targetOf(request, bodyOf(request, ['for']))));
  return { json: {} };
};

type Body = Readonly<Record<string, unknown>>;

/** Reads the body with `JSON.parse`, because `parseBody` replaces numbers that have a fraction or an exponent. */
function bodyOf({ text }: RoutedRequest, members: readonly string[]): Body {
  if (text.length > LONGEST_BODY) throw tooLarge(`the body is longer than ${LONGEST_BODY} characters`);
  const body = text.trim() === '' ? {} : parsedJson(text);
  if (body === undefined) throw invalid('the body is not JSON');
  if (!isPlainObject(body)) throw invalid(`the body: expected an object, got ${kindOf(body)}`);
  const unknown = Object.keys(body).find((name) => !members.includes(name));
  if (unknown !== undefined) {
    throw invalid(`${quoted(unknown)}: unknown member, expected ${members.join(' and ')}`);
  }
  return body as Body;
}

function targetOf({ path: { namespaceKey, flagKey } }: RoutedRequest, { for: entity }: Body): OverrideTarget {
  if (entity !== undefined && (typeof entity !== 'string' || entity === '')) {
    throw invalid(`for: expected the id of an entity, got ${entity === '' ? "''" : kindOf(entity)}`);
  }
  return { namespaceKey, flagKey, entity };
}

function refuse(problem: OverrideProblem | undefined): void {
  if (problem !== undefined) throw (problem.kind === 'missing' ? notFound : invalid)(problem.message);
}

import * as v from 'valibot';
import { environmentHeaders } from '../http/reply.js';
import type { ConnectionSettings } from '../options/settings.js';
import { BATCH_PATH } from '../remote/wire/batch-request.js';
import { isHeaderText } from '../base/text/header.js';
import * as answers from './answers.js';
import type { Call, ClientOperation, ClientRequest } from './client-operation.js';
import type { IterateOptions, ListPage, PageOptions } from './operations/call-options.js';
import type { EvaluationOperations } from './operations/evaluation.js';
import type { FlagOperations } from './operations/flag-list.js';
import type { RuleOperations, VariantOperations } from './operations/flag-parts.js';
import type { SegmentOperations } from './operations/segments.js';
import type { TokenOperations } from './operations/tokens.js';

const operation = <Answer>(
  name: string,
  method: ClientOperation<Answer>['method'],
  path: string,
  answer: v.GenericSchema<unknown, Answer>,
): ClientOperation<Answer> => ({ name, method, path, answer });

const TOKEN_AUTHENTICATION =
  'Flipt v1 offers it if its token authentication is enabled. Flipt v2 offers evaluation.batch only.';
const CREATE_TOKEN = {
  ...operation('tokens.create', 'POST', '/auth/v1/method/token', answers.createdToken),
  offered: TOKEN_AUTHENTICATION,
};
const GET_TOKEN = operation('tokens.get', 'GET', '/auth/v1/tokens/{id}', answers.authentication);

const LIST_FLAGS = operation('flags.list', 'GET', '/api/v1/namespaces/{namespace}/flags', answers.flagPage);

const RULES = '/api/v1/namespaces/{namespace}/flags/{flag}/rules';
const CREATE_RULE = operation('rules.create', 'POST', RULES, answers.rule);
const LIST_RULES = operation('rules.list', 'GET', RULES, answers.rulePage);

const VARIANT = '/api/v1/namespaces/{namespace}/flags/{flag}/variants/{id}';
const UPDATE_VARIANT = operation('variants.update', 'PUT', VARIANT, answers.variant);

const SEGMENTS = '/api/v1/namespaces/{namespace}/segments';
const SEGMENT = `${SEGMENTS}/{key}`;
const LIST_SEGMENTS = operation('segments.list', 'GET', SEGMENTS, answers.segmentPage);
const GET_SEGMENT = operation('segments.get', 'GET', SEGMENT, answers.segment);
const CREATE_SEGMENT = operation('segments.create', 'POST', SEGMENTS, answers.segment);
const UPDATE_SEGMENT = operation('segments.update', 'PUT', SEGMENT, answers.segment);

const evaluateBatch = (requests: number) => ({
  ...operation('evaluation.batch', 'POST', BATCH_PATH, answers.batchOf(requests)),
  repeatable: true,
  offered: 'Every version of Flipt offers it: check the path in the option url.',
});

/**
 * Makes the operations of the client, which send their requests with the function `call`. If the caller of an
 * evaluation leaves out the reference or the environment, the evaluation uses the one in `defaults`.
 */
export function operationsOf(call: Call, defaults: Pick<ConnectionSettings, 'reference' | 'environment'>) {
  const evaluation: EvaluationOperations = {
    async batch(requests, { signal, requestId, ...given } = {}) {
      const { reference = defaults.reference, environment = defaults.environment } = given;
      if (!isHeaderText(environment ?? '')) {
        throw new TypeError('environment: expected text without line breaks or characters beyond Latin-1');
      }
      const headers = environmentHeaders(environment);
      return call(
        evaluateBatch(requests.length),
        { headers, body: { requestId, requests, reference } },
        { signal },
      );
    },
  };
  const tokens: TokenOperations = {
    create: (body, options) => call(CREATE_TOKEN, { body }, options),
    get: (id, options) => call(GET_TOKEN, { parts: { id } }, options),
  };
  const flagPages = pagesOf(call, LIST_FLAGS, ({ flags }) => flags);
  const flags: FlagOperations = {
    list: (namespace, page) => flagPages.list({ namespace }, page),
    iterate: (namespace, options) => flagPages.iterate({ namespace }, options),
  };
  const rulePages = pagesOf(call, LIST_RULES, ({ rules }) => rules);
  const rules: RuleOperations = {
    create: (namespace, flag, body, options) =>
      call(CREATE_RULE, { parts: { namespace, flag }, body }, options),
    list: (namespace, flag, page) => rulePages.list({ namespace, flag }, page),
    iterate: (namespace, flag, options) => rulePages.iterate({ namespace, flag }, options),
  };
  const variants: VariantOperations = {
    update: (namespace, flag, id, body, options) =>
      call(UPDATE_VARIANT, { parts: { namespace, flag, id }, body }, options),
  };
  const segmentPages = pagesOf(call, LIST_SEGMENTS, ({ segments }) => segments);
  const segments: SegmentOperations = {
    list: (namespace, page) => segmentPages.list({ namespace }, page),
    iterate: (namespace, options) => segmentPages.iterate({ namespace }, options),
    get: async (namespace, key, { signal, reference } = {}) =>
      call(GET_SEGMENT, { parts: { namespace, key }, query: { reference } }, { signal }),
    create: (namespace, body, options) => call(CREATE_SEGMENT, { parts: { namespace }, body }, options),
    update: (namespace, key, body, options) =>
      call(UPDATE_SEGMENT, { parts: { namespace, key }, body }, options),
  };
  return { evaluation, tokens, flags, rules, variants, segments };
}

const ENTRIES_PER_REQUEST = 100;

type Parts = NonNullable<ClientRequest['parts']>;

/**
 * Returns two functions that read a list of Flipt: `list` reads one page, and `iterate` reads all entries, page by
 * page.
 */
function pagesOf<Page extends ListPage, Entry>(
  call: Call,
  list: ClientOperation<Page>,
  entriesOf: (page: Page) => readonly Entry[],
) {
  const read = async (
    parts: Parts,
    { signal, limit, offset, pageToken }: PageOptions = {},
    answer = list.answer,
  ) => call({ ...list, answer }, { parts, query: { limit, offset, pageToken } }, { signal });
  return {
    list: (parts: Parts, page?: PageOptions) => read(parts, page),
    /**
     * Iterates over all entries of a list, and requests each page only when its entries are needed. If Flipt sends the
     * same page token twice, the iteration rejects, because it would otherwise never end.
     */
    async *iterate(parts: Parts, options: IterateOptions = {}): AsyncGenerator<Entry, void, undefined> {
      const { limit = ENTRIES_PER_REQUEST, signal } = options;
      const given = new Set<string>();
      const answer = v.pipe(
        list.answer,
        v.check(
          ({ nextPageToken }) => !given.has(nextPageToken),
          'a page whose nextPageToken has not come before',
        ),
      );
      let pageToken: string | undefined;
      do {
        const page = await read(parts, { limit, pageToken, signal }, answer);
        yield* entriesOf(page);
        pageToken = page.nextPageToken;
        given.add(pageToken);
      } while (pageToken !== '');
    },
  };
}

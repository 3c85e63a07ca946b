import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { inTime, systemClock } from '../clock.js';
import { checkOptions } from '../options/check-options.js';
import { isPromiseLike, kindOf } from '../text/describe.js';
import { quoted } from '../text/quote.js';
import { contextInBody } from './ofrep-body.js';
import { ofrepRules, type FlagEvaluator, type OfrepOptions } from './ofrep-options.js';
import { bulk, single, type IsTyped } from './ofrep-response.js';
import { isChangeSource } from './push/changes.js';
import { isFromOwnPage } from './push/own-page.js';
import { pushSettings } from './push/push-options.js';
import { pushing } from './push/pushing.js';
import {
  FOREIGN_PAGE,
  NO_PROVIDER,
  NO_SNAPSHOT,
  NO_TARGETING_KEY,
  NOTHING_HERE,
  notFound,
  refused,
  unanswered,
  UNUSABLE,
  USE_POST,
  USE_POST_OR_GET,
} from './refusals.js';

/** Answers a standard `Request`. The option `context` gets the framework's own request. */
type Answer<R> = (request: Request, original: R) => Promise<Response>;

/** Only the end of the path must match: frameworks may put a prefix before it. */
const PATH = /\/ofrep\/v1\/evaluate\/flags(?:\/([^/]+))?\/?$/;

/** Makes the handler of OFREP's requests for any framework. Throws a TypeError if an option is wrong. */
export function answering<R>(options: OfrepOptions<R>): Answer<R> {
  checkOptions(ofrepRules, options);
  const settings = pushSettings(options.push);
  if (settings !== undefined && options.provider !== undefined && !isChangeSource(options.provider)) {
    throw new TypeError(
      'ofrep: provider: expected a FliptProvider, whose events push needs, got an object without them',
    );
  }
  const { flags, values = 'key', allow = [] } = options;
  const named = typeof flags === 'function' ? visibleBy(flags) : [...new Set(flags)];
  const isNamed = (key: string) => (typeof named === 'function' ? named(key) : named.includes(key));
  const push = settings && pushing(settings, isNamed, systemClock, Math.random);

  const isTyped: IsTyped = typeof values === 'function' ? typedBy(values) : () => values === 'typed';

  const evaluate = async (
    context: EvaluationContext,
    flagKey: string | undefined,
    request: Request,
  ): Promise<Response> => {
    const provider = evaluatorOf(options);
    if (provider === undefined) return refused(NO_PROVIDER, flagKey);
    try {
      if (flagKey === undefined) {
        const eventStreams = push?.eventStreams(request, provider);
        const outcomes = await provider.evaluateEach(context, named);
        return bulk(outcomes, isTyped, { ifNoneMatch: request.headers.get('if-none-match'), eventStreams });
      }
      const outcome = (await provider.evaluateEach(context, [flagKey])).get(flagKey);
      return outcome === undefined ? notFound(flagKey) : single(flagKey, outcome, isTyped);
    } catch (error) {
      return answerTo(error, flagKey, typeof named === 'function');
    }
  };

  return async (request, original) => {
    const path = PATH.exec(new URL(request.url).pathname);
    if (path === null) return refused(NOTHING_HERE);
    const flagKey = decoded(path[1]);
    if (push !== undefined && request.method === 'GET' && flagKey === undefined) {
      if (!isFromOwnPage(request)) return refused(FOREIGN_PAGE);
      const { targetingKey = '' } = { ...surrounding(), ...(await ownContext(original, options)) };
      return push.open(request, evaluatorOf(options), targetingKey);
    }
    if (request.method !== 'POST') {
      return refused(push !== undefined && flagKey === undefined ? USE_POST_OR_GET : USE_POST);
    }
    const own = await ownContext(original, options);
    const body = await contextInBody(request);
    if ('errorCode' in body) return refused(body, flagKey);
    if (flagKey !== undefined && !isNamed(flagKey)) return notFound(flagKey);
    const context = { ...picked(body.context, allow), ...surrounding(), ...own };
    return evaluate(context, flagKey, request);
  };
}

/** A promise is truthy, so an async function would show every flag. */
function visibleBy(flags: (flagKey: string) => unknown): (flagKey: string) => boolean {
  return (flagKey) => {
    const isVisible = flags(flagKey);
    if (typeof isVisible === 'boolean') return isVisible;
    const got = isPromiseLike(isVisible) ? 'a promise' : kindOf(isVisible);
    throw new TypeError(`ofrep: flags(${quoted(flagKey)}): expected true or false, got ${got}`);
  };
}

function typedBy(values: (flagKey: string) => unknown): IsTyped {
  return (flagKey) => {
    const kind = values(flagKey);
    if (kind === 'key' || kind === 'typed') return kind === 'typed';
    const got = isPromiseLike(kind) ? 'a promise' : kindOf(kind);
    throw new TypeError(`ofrep: values(${quoted(flagKey)}): expected 'key' or 'typed', got ${got}`);
  };
}

async function ownContext<R>(
  request: R,
  { context, contextTimeoutMs = 1000 }: OfrepOptions<R>,
): Promise<EvaluationContext> {
  const late = () =>
    new Error(`ofrep: context has not settled within ${contextTimeoutMs} ms (contextTimeoutMs)`);
  const given = context(request);
  const own: unknown = isPromiseLike(given)
    ? await inTime(given, contextTimeoutMs, systemClock, late)
    : given;
  if (typeof own === 'object' && own !== null && !Array.isArray(own)) return { ...own };
  throw new TypeError(`ofrep: context: expected an object such as { targetingKey: … }, got ${kindOf(own)}`);
}

/** The context that every client of this request has. None of it comes from the browser. */
function surrounding(): EvaluationContext {
  return { ...OpenFeature.getContext(), ...OpenFeature.getTransactionContext() };
}

function picked(inBody: object, allow: readonly string[]): EvaluationContext {
  const present = allow.filter((name) => Object.hasOwn(inBody, name));
  return Object.fromEntries(present.map((name) => [name, Reflect.get(inBody, name)]));
}

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    // No flag has such a key.
    return segment;
  }
}

function evaluatorOf<R>({ provider, domain }: OfrepOptions<R>): FlagEvaluator | undefined {
  if (provider !== undefined) return provider;
  const registered = domain === undefined ? OpenFeature.getProvider() : OpenFeature.getProvider(domain);
  return isEvaluator(registered) ? registered : undefined;
}

function isEvaluator(provider: object): provider is FlagEvaluator {
  return 'evaluateEach' in provider && typeof provider.evaluateEach === 'function';
}

/**
 * Recognises errors by their code, because two copies of OpenFeature may meet. Any error without such a code is a
 * defect.
 */
function answerTo(error: unknown, flagKey: string | undefined, byFunction: boolean): Response {
  switch ((error as { readonly code?: unknown } | null)?.code) {
    case 'INVALID_CONTEXT':
      return refused(UNUSABLE, flagKey);
    case 'TARGETING_KEY_MISSING':
      return refused(NO_TARGETING_KEY, flagKey);
    case 'PROVIDER_NOT_READY':
      return unanswered(flagKey);
    case 'GENERAL':
      return byFunction && flagKey === undefined ? refused(NO_SNAPSHOT) : unanswered(flagKey);
    default:
      throw error;
  }
}

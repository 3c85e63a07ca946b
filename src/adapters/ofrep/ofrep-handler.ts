import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { allowedAttributes, contextInBody } from './context-in-body.js';
import { checkOptions } from '../../options/check-options.js';
import { systemClock } from '../../base/time/clock.js';
import { checkContext, kindReturned, quoted, unlessItThrows } from '../../base/text/describe.js';
import { isEvaluator, ofrepRules, type FlagEvaluator, type OfrepOptions } from './ofrep-options.js';
import { extendedContext } from '../../provider/mapping/extended-context.js';
import { bulk, single } from './ofrep-response.js';
import { contextInApp, contextInRequest } from '../../provider/per-request/merged-context.js';
import { contextInTime } from '../../provider/per-request/context-timeout.js';
import { isChangeSource } from './push/provider-changes.js';
import { isFromOwnPage, streamEndpoint } from './push/stream-endpoint.js';
import { REFUSAL, refused, type OfrepRefusal } from './refusals.js';

/**
 * Answers an OFREP request. `request` is a standard `Request`, and `original` is the framework's own request, which the
 * option `context` gets.
 */
type Handler<R> = (request: Request, original: R) => Promise<Response>;

/**
 * This pattern matches the paths at which OFREP evaluates flags. Only the end of a request's path must match, because
 * an app can put a prefix before OFREP's path.
 */
export const PATH = /\/ofrep\/v1\/evaluate\/flags(?:\/([^/]+))?\/?$/;

/** Makes a function that answers OFREP requests, for any framework. Throws a TypeError if an option is wrong. */
export function ofrepHandler<R>(options: OfrepOptions<R>): Handler<R> {
  const { flags, values, contextTimeoutMs, push, provider, ...limits } = checkOptions(ofrepRules, options);
  if (push !== undefined && provider !== undefined && !isChangeSource(provider)) {
    throw new TypeError(
      'ofrep: provider: expected a FliptProvider, because push needs its events, got an object without events',
    );
  }
  const named = typeof flags === 'function' ? oneOf([true, false], 'flags', flags) : [...new Set(flags)];
  const isNamed = (key: string) => (typeof named === 'function' ? named(key) : named.includes(key));
  const kindOfValue = typeof values === 'function' ? oneOf(['key', 'typed'], 'values', values) : () => values;
  const isTyped = (key: string) => kindOfValue(key) === 'typed';
  const streams = push && streamEndpoint(push, isNamed, { clock: systemClock, random: Math.random });

  /**
   * Returns the context that the app gives to this request. No part of the context comes from the body that the browser
   * has sent.
   */
  const ownContext = async (original: R): Promise<EvaluationContext> => {
    const own = await contextInTime(options.context(original), contextTimeoutMs, 'ofrep');
    checkContext('ofrep: context', own);
    return contextInApp(contextInRequest(own));
  };

  const evaluated = async (request: Request, context: EvaluationContext, flagKey: string | undefined) => {
    const provider = evaluatorOf(options);
    if (provider === undefined) return refused(REFUSAL.noProvider, flagKey);
    try {
      if (flagKey !== undefined) {
        const outcomes = await provider.evaluateEach(context, [flagKey]);
        return single(flagKey, outcomes.get(flagKey), isTyped);
      }
      const eventStreams = streams?.eventStreams(request, provider);
      const outcomes = await provider.evaluateEach(context, named);
      return await bulk(outcomes, isTyped, request.headers.get('if-none-match'), eventStreams);
    } catch (error) {
      return answerTo(error, flagKey, typeof named === 'function');
    }
  };

  return async (request, original) => {
    const path = PATH.exec(new URL(request.url).pathname);
    if (path === null) return refused(REFUSAL.nothingHere);
    const flagKey = decoded(path[1]);
    const pushed = flagKey === undefined ? streams : undefined;
    if (pushed !== undefined && request.method === 'GET') {
      if (!isFromOwnPage(request)) return refused(REFUSAL.foreignPage);
      const { targetingKey = '' } = await ownContext(original);
      return pushed.open(request, evaluatorOf(options), targetingKey);
    }
    if (request.method !== 'POST')
      return refused(pushed === undefined ? REFUSAL.usePost : REFUSAL.usePostOrGet);
    const own = await ownContext(original);
    const body = await contextInBody(request);
    if ('errorCode' in body) return refused(body, flagKey);
    if (flagKey !== undefined && !isNamed(flagKey)) return refused(REFUSAL.notFound, flagKey);
    const allowed = allowedAttributes(body.context, limits);
    if ('errorCode' in allowed) return refused(allowed, flagKey);
    const context = { ...allowed.attributes, ...own };
    // A browser can make up attributes, and, where a function names the flags, their keys.
    const isMadeUp =
      Object.keys(allowed.attributes).length > 0 || (flagKey !== undefined && typeof named === 'function');
    return evaluated(request, isMadeUp ? extendedContext(context) : context, flagKey);
  };
}

/**
 * Wraps the function of an option, so that each call checks what the function returns. A returned promise is an error:
 * because a promise is truthy, an async function would otherwise show every flag to the browser.
 */
function oneOf<Answer>(answers: readonly Answer[], option: string, ask: (flagKey: string) => Answer) {
  return (flagKey: string): Answer => {
    const answer: unknown = ask(flagKey);
    const earlier = answers.find((one) => one === answer);
    if (earlier !== undefined) return earlier;
    const expected = answers.map((one) => (typeof one === 'string' ? `'${one}'` : one)).join(' or ');
    throw new TypeError(
      `ofrep: ${option}(${quoted(flagKey)}): expected ${expected}, got ${kindReturned(answer)}`,
    );
  };
}

/**
 * Decodes the flag key in the path. If the segment of the path cannot be decoded, it is returned unchanged, and no flag
 * has this text as its key.
 */
function decoded(segment: string | undefined): string | undefined {
  return segment && (unlessItThrows(() => decodeURIComponent(segment)) ?? segment);
}

function evaluatorOf<R>({ provider, domain }: OfrepOptions<R>): FlagEvaluator | undefined {
  if (provider !== undefined) return provider;
  const registered = OpenFeature.getProvider(domain);
  return isEvaluator(registered) ? registered : undefined;
}

/**
 * Turns an error of an evaluation into a response. The function recognises errors by their code and not by their class,
 * because an app can contain two copies of OpenFeature. The function rethrows an error that has no known code, for
 * example an error that the option `flags` or `values` has thrown.
 */
function answerTo(error: unknown, flagKey: string | undefined, byFunction: boolean): Response {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (code === 'GENERAL' && byFunction && flagKey === undefined) return refused(REFUSAL.noSnapshot);
  const refusal = REFUSAL_FOR_CODE.get(code);
  if (refusal === undefined) throw error;
  return refused(refusal, flagKey);
}

const REFUSAL_FOR_CODE: ReadonlyMap<unknown, OfrepRefusal> = new Map([
  ['INVALID_CONTEXT', REFUSAL.unusableContext],
  ['TARGETING_KEY_MISSING', REFUSAL.noTargetingKey],
  ['PROVIDER_NOT_READY', REFUSAL.unanswered],
  ['GENERAL', REFUSAL.unanswered],
]);

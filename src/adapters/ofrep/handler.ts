import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { kindReturned, quoted, unlessItThrows } from '../../base/text/describe.js';
import { systemClock } from '../../base/time/clock.js';
import { checkOptions } from '../../options/check-options.js';
import { extendedContext } from '../../provider/mapping/extended-context.js';
import { contextInApp, contextInRequest } from '../../provider/per-request/merged-context.js';
import { givenContext } from '../given-context.js';
import { isEvaluator, ofrepRules, type FlagEvaluator, type OfrepOptions } from './options.js';
import { isFromOwnPage } from './page-origin.js';
import { EventStreams, isChangeSource } from './push.js';
import { allowedAttributes, contextInBody } from './request.js';
import { bulk, REFUSAL, refused, single, type Refusal } from './response.js';

/** Only the end of a path must match, because an app can put a prefix before it. */
export const PATH = /\/ofrep\/v1\/evaluate\/flags(?:\/([^/]+))?\/?$/;

/** `original` is the request of the framework. */
export function ofrepHandler<R>(
  options: OfrepOptions<R>,
): (request: Request, original: R) => Promise<Response> {
  const { flags, values, allow, push, provider } = checkOptions(ofrepRules, options);
  if (push !== undefined && provider !== undefined && !isChangeSource(provider)) {
    throw new TypeError(
      'ofrep: provider: expected a FliptProvider, because push needs its events, got an object without events',
    );
  }
  const named = typeof flags === 'function' ? oneOf([true, false], 'flags', flags) : [...new Set(flags)];
  const isNamed = (key: string) => (typeof named === 'function' ? named(key) : named.includes(key));
  const kindOfValue = typeof values === 'function' ? oneOf(['key', 'typed'], 'values', values) : () => values;
  const isTyped = (key: string) => kindOfValue(key) === 'typed';
  const streams = push && new EventStreams(push, isNamed, systemClock, Math.random);

  const ownContext = async (original: R) =>
    contextInApp(contextInRequest(await givenContext(options.context(original), 'ofrep')));

  const evaluated = async (request: Request, context: EvaluationContext, flagKey: string | undefined) => {
    const evaluator = evaluatorOf(options);
    if (evaluator === undefined) return refused(REFUSAL.noProvider, flagKey);
    try {
      if (flagKey !== undefined) {
        const outcomes = await evaluator.evaluateEach(context, [flagKey]);
        return single(flagKey, outcomes.get(flagKey), isTyped);
      }
      const eventStreams = streams?.offer(request, evaluator);
      const outcomes = await evaluator.evaluateEach(context, named);
      return bulk(outcomes, isTyped, request.headers.get('if-none-match'), eventStreams);
    } catch (error) {
      const refusal = refusalFor(error, typeof named === 'function' && flagKey === undefined);
      if (refusal === undefined) throw error;
      return refused(refusal, flagKey);
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
      return pushed.open(evaluatorOf(options), targetingKey);
    }
    if (request.method !== 'POST')
      return refused(pushed === undefined ? REFUSAL.usePost : REFUSAL.usePostOrGet);
    const own = await ownContext(original);
    const body = await contextInBody(request);
    if ('errorCode' in body) return refused(body, flagKey);
    if (flagKey !== undefined && !isNamed(flagKey)) return refused(REFUSAL.notFound, flagKey);
    const allowed = allowedAttributes(body.context, allow);
    if ('errorCode' in allowed) return refused(allowed, flagKey);
    const context = { ...allowed.attributes, ...own };
    // A browser can make up attributes, and, where a function names the flags, their keys.
    const isMadeUp =
      Object.keys(allowed.attributes).length > 0 || (flagKey !== undefined && typeof named === 'function');
    return evaluated(request, isMadeUp ? extendedContext(context) : context, flagKey);
  };
}

/** A promise is truthy: an async function would show every flag. */
function oneOf<Answer>(answers: readonly Answer[], option: string, ask: (flagKey: string) => Answer) {
  return (flagKey: string): Answer => {
    const answer: unknown = ask(flagKey);
    const expected = answers.find((one) => one === answer);
    if (expected !== undefined) return expected;
    const words = answers.map((one) => (typeof one === 'string' ? `'${one}'` : one)).join(' or ');
    throw new TypeError(
      `ofrep: ${option}(${quoted(flagKey)}): expected ${words}, got ${kindReturned(answer)}`,
    );
  };
}

/** No flag has a key that cannot be decoded. */
function decoded(segment: string | undefined): string | undefined {
  return segment && (unlessItThrows(() => decodeURIComponent(segment)) ?? segment);
}

function evaluatorOf<R>({ provider, domain }: OfrepOptions<R>): FlagEvaluator | undefined {
  if (provider !== undefined) return provider;
  const registered = OpenFeature.getProvider(domain);
  return isEvaluator(registered) ? registered : undefined;
}

/** By their code, because an app can contain two copies of OpenFeature. */
function refusalFor(error: unknown, needsSnapshot: boolean): Refusal | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return code === 'GENERAL' && needsSnapshot ? REFUSAL.noSnapshot : REFUSAL_FOR_CODE.get(code);
}

const REFUSAL_FOR_CODE: ReadonlyMap<unknown, Refusal> = new Map([
  ['INVALID_CONTEXT', REFUSAL.unusableContext],
  ['TARGETING_KEY_MISSING', REFUSAL.noTargetingKey],
  ['PROVIDER_NOT_READY', REFUSAL.unanswered],
  ['GENERAL', REFUSAL.unanswered],
]);

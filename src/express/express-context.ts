import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { checkContext } from '../text/describe.js';

/**
 * The context of a request has, under this symbol, the function that adds to it. All copies of this package share the
 * symbol.
 */
const ADD = Symbol.for('openfeature-flipt-provider.express-context');

type Add = (partial: EvaluationContext) => void;

/**
 * Lets {@link setRequestContext} add to a context. `req.flags` and the transaction context both hold this same object.
 */
export function changeable(context: EvaluationContext): EvaluationContext {
  const add: Add = (partial) => Object.assign(context, partial);
  // Not enumerable, so that copies do not get it: adding to a copy would have no effect here.
  return Object.defineProperty(context, ADD, { value: add });
}

/**
 * Adds to the context of the current request, for example after a login: all later resolves of `req.flags` and of other
 * clients use it. Throws an Error outside of a request that has passed the middleware `flags`, and a TypeError if
 * `partial` is not an object.
 *
 * @example
 * ```ts
 * import { setRequestContext } from 'openfeature-flipt-provider/express';
 *
 * setRequestContext({ targetingKey: 'user-7', plan: 'pro' });
 * ```
 */
export function setRequestContext(partial: EvaluationContext): void {
  checkContext('setRequestContext', partial);
  const { [ADD]: add } = OpenFeature.getTransactionContext() as { readonly [ADD]?: Add };
  if (add === undefined) {
    throw new Error(
      'setRequestContext: there is no request here whose context is known; ' +
        'use the middleware flags before it, and await what runs in a request',
    );
  }
  add(partial);
}

import type { Failure } from '../../model/failure.js';
import type { Subject } from '../../model/answer.js';
import { contextReader, InvalidContext, type OddAttribute, type Selection } from './context.js';

/** Makes the function that reads the subject of a question from a context, or says why the context cannot be sent. */
export function subjectReader(
  selection: Selection,
  targetingKey: 'optional' | 'required',
  odd?: OddAttribute,
): (context: object) => Subject | Failure {
  const read = contextReader(selection, odd);
  return (context) => {
    try {
      const subject = read(context);
      return subject.entity === '' && targetingKey === 'required' ? NO_TARGETING_KEY : subject;
    } catch (error) {
      return contextFailure(error);
    }
  };
}

/** Why a context could not be read. */
export function contextFailure(error: unknown): Failure {
  return error instanceof InvalidContext ? { kind: 'context', message: error.message } : UNREADABLE_CONTEXT;
}

export const UNREADABLE_CONTEXT: Failure = {
  kind: 'context',
  message: 'the evaluation context cannot be read',
};

export const NO_TARGETING_KEY: Failure = {
  kind: 'targeting-key',
  message: "the context has no targetingKey, which the provider requires (targetingKey: 'required')",
};

import { questionOf, type Ask, type Answer, type Question, type Subject } from '../../src/model/answer.js';

export function subjectOf(entity: string, attributes: Readonly<Record<string, string>> = {}): Subject {
  const names = Object.keys(attributes).sort();
  return { entity, names, texts: names.map((name) => attributes[name] ?? '') };
}

export function question(
  flag: string,
  entity = 'user',
  attributes: Readonly<Record<string, string>> = {},
): Question {
  return questionOf('default', flag, subjectOf(entity, attributes));
}

interface AskedOne {
  readonly question: Question;
  readonly answer: (answer: Answer) => void;
  readonly until: number;
}

/** An `Ask` that a test answers when it wants to. */
export interface AskedByHand {
  readonly ask: Ask;
  /** All questions so far, in order. `answer` may be called once for each. */
  readonly asked: readonly AskedOne[];
}

export function askedByHand(): AskedByHand {
  const asked: AskedOne[] = [];
  return {
    asked,
    ask: (question, until) =>
      new Promise((answer) => {
        asked.push({ question, answer, until });
      }),
  };
}

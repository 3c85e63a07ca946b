import type { Subject } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import {
  attributeText,
  contextFailure,
  entityId,
  NO_TARGETING_KEY,
  selector,
  type OddAttribute,
  type Selection,
} from './attribute-text.js';

export type GivenContext = Readonly<Record<string, unknown>>;

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

/** The attributes are sorted by name, so that equal contexts are one subject. */
export function contextReader(selection?: Selection, odd?: OddAttribute): (context: object) => Subject {
  const isSent = selector(selection);
  return (context) => {
    const values = context as Readonly<Record<string, unknown>>;
    const names: string[] = [];
    const texts: string[] = [];
    for (const name of Object.keys(values).sort()) {
      if (name === 'targetingKey' || !isSent(name)) continue;
      const text = attributeText(name, values[name], odd);
      if (text === undefined) continue;
      names.push(name);
      texts.push(text);
    }
    return { entity: entityId(values.targetingKey), names, texts };
  };
}

/** Each part of a cache key follows its length, so that two questions never share a key. */
export function questionKeys(namespace: string, environment = '', reference = '') {
  const scope = part(namespace) + part(environment) + part(reference);
  return (flag: string, { entity, names, texts }: Subject): string => {
    let key = scope + part(flag) + part(entity);
    names.forEach((name, at) => (key += part(name) + part(texts[at] ?? '')));
    return key;
  };
}

function part(text: string): string {
  return `${text.length}:${text}`;
}

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

/*
 * Two evaluations with the same cache key share one cached answer. The cache key contains the namespace, the
 * environment, the reference, the flag, the targetingKey and all attributes that the provider sends to Flipt, as text
 * and sorted by name.
 */

/**
 * Makes a function that reads the entity id and the attributes from a context. If the context cannot be sent to Flipt,
 * the made function returns the failure.
 */
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

/**
 * If a context has more attributes than this, `Array.sort` sorts their names, because the insertion sort below would be
 * slow.
 */
const MANY = 32;

/**
 * Makes a function that reads the entity id and the attributes of a context. The made function sorts the attributes by
 * name, so that two equal contexts give the same result even if their attributes are in different orders.
 */
export function contextReader(selection?: Selection, odd?: OddAttribute): (context: object) => Subject {
  const sent = selector(selection);
  return (context) => {
    const values = context as Readonly<Record<string, unknown>>;
    const names: string[] = [];
    const texts: string[] = [];
    const own = Object.keys(values);
    for (const name of own.length > MANY ? own.filter(sent).sort() : own) {
      if (name === 'targetingKey' || !sent(name)) continue;
      const value = values[name];
      const text = attributeText(name, value, odd);
      if (text === undefined) continue;
      // This is an insertion sort, the fastest sort for a few attributes. The speed of this loop matters, because the
      // loop runs even for resolves that find their answer in the cache.
      let at = names.length;
      for (; at > 0 && (names[at - 1] ?? '') > name; at--) {
        names[at] = names[at - 1] ?? '';
        texts[at] = texts[at - 1] ?? '';
      }
      names[at] = name;
      texts[at] = text;
    }
    return { entity: entityId(values.targetingKey), names, texts };
  };
}

/**
 * Makes a function that returns the cache key of a question (a flag and a context). The key has the length of each part
 * before the part, so that two different questions never get the same key.
 */
export function questionKeys(namespace: string, environment = '', reference = '') {
  const scope = part(namespace) + part(environment) + part(reference);
  return (flag: string, { entity, names, texts }: Subject): string => {
    let key = scope + part(flag) + part(entity);
    for (let at = 0; at < names.length; at++) key += part(names[at] ?? '') + part(texts[at] ?? '');
    return key;
  };
}

function part(text: string): string {
  return `${text.length}:${text}`;
}

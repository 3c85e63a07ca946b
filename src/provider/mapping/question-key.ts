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
 * Two contexts with the same key ask the same question, and share its answer. The key holds the targeting key and all
 * attributes that are sent, as text and sorted by name.
 */

/**
 * Makes the function that reads the subject of a question from a context, or returns why the context cannot be sent.
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

/** If a context has more attributes than this, their names are sorted by the runtime before they are read. */
const MANY = 32;

/**
 * Makes the function that reads a context in one pass. The attributes are sorted by name, so that two equal contexts
 * give the same result, whatever the order of their attributes.
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
      // Inserting each attribute at its place is the cheapest sort, because most contexts have few attributes. This
      // loop runs in each cached resolve.
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
 * Makes the function that writes the key of a question from everything that the service looks at, and from nothing
 * else. The length of each part precedes the part, so that two different questions never share a key, whatever
 * characters their parts hold.
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

import type { Subject } from '../model/answer.js';

/**
 * Makes the function that names a question by all that the service looks at, and nothing else. Each part is preceded by
 * its length, so that two different questions never share a key, whatever characters their parts hold.
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

/**
 * V8 keeps a string that was put together as a tree of its pieces, which takes several times the memory. A copy through
 * bytes is one flat string. It is made once, before a key is stored. (A copy through UTF-8 would lose lone surrogates.)
 */
export function flat(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le');
}

import { invalid } from './refusal.js';

/** A parameter that may be given once; `''` if it is missing. */
export function single(query: URLSearchParams, name: string): string {
  const [text = '', ...others] = query.getAll(name);
  if (others.length > 0) throw invalid(`too many values for field "${name}"`);
  return text;
}

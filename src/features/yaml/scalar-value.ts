import { Scalar } from 'yaml';
import { unsteered } from '../../text/describe.js';
import { plainScalar, type ScalarValue } from './plain-scalar.js';
import { Timestamp } from './timestamp.js';

const YAML_TAG = 'tag:yaml.org,2002:';

/** What a scalar is to Go's YAML reader, or a message that says why it is wrong. */
export function scalarValue(scalar: Scalar): { readonly value: ScalarValue } | { readonly wrong: string } {
  const text = textOfScalar(scalar);
  const tag = scalar.tag?.replace(YAML_TAG, '') ?? '!';
  if (tag === 'binary') return decoded(text);
  if (tag === '!') return { value: scalar.type === Scalar.PLAIN ? plainScalar(text) : text };
  const fits = FITS[tag];
  if (fits === undefined) return { value: text };
  const value = plainScalar(text);
  if (tag === 'float' && typeof value === 'bigint') return { value: Number(value) };
  return fits(value) ? { value } : { wrong: `expected !!${tag}, got ${unsteered(text)}` };
}

/** The text of a scalar, as it was parsed without any meaning. */
export function textOfScalar({ value }: Scalar): string {
  return typeof value === 'string' ? value : '';
}

/** The tags that give a scalar another meaning than text. */
const FITS: Readonly<Record<string, ((value: ScalarValue) => boolean) | undefined>> = {
  int: (value) => typeof value === 'bigint' || Number.isInteger(value),
  float: (value) => typeof value === 'number' || typeof value === 'bigint',
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  timestamp: (value) => value instanceof Timestamp,
};

function decoded(base64: string): { readonly value: string } | { readonly wrong: string } {
  const text = base64.replace(/[\r\n]/g, '');
  const right = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(text);
  return right
    ? { value: Buffer.from(text, 'base64').toString('utf8') }
    : { wrong: 'expected base64 for !!binary' };
}

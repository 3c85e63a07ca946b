import { isRecord, kindOf } from '../base/text/describe.js';
import { hasMoreValues, parsedJson } from '../base/text/json.js';

/** Of gRPC, which Flipt writes into an error with this HTTP status. */
export const GRPC_CODES = { 400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 415: 3, 500: 13, 501: 12 } as const;

/** The client gets the message. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: keyof typeof GRPC_CODES,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const invalidField = (field: string, wrong: string): Refusal =>
  new Refusal(400, `invalid field ${field}: ${wrong}`);

const MOST_VALUES = 500_000;

/** Flipt reads the first JSON value of a body, and ignores what follows. */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (hasMoreValues(text, MOST_VALUES))
    throw new Refusal(413, `the request's body has more than ${MOST_VALUES} values`);
  const whole = text.trim() === '' ? null : parsedJson(text);
  const body = whole === undefined ? parsedJson(firstValue(text)) : whole;
  if (body === undefined) throw new Refusal(400, 'the body is not JSON');
  return asObject(body, 'the body');
}

function firstValue(json: string): string {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (isText && character === '\\') at++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return json.slice(0, at + 1);
  }
  return '';
}

function asObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const object = value ?? {};
  if (!isRecord(object)) throw wrongType(name, 'an object', value);
  return object;
}

const LARGEST_INT32 = 2 ** 31 - 1;
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Proto3's JSON mapping: a member that is missing or null has its default, and an unknown one is ignored. */
export class Message {
  constructor(private readonly members: Readonly<Record<string, unknown>>) {}

  static of(text: string): Message {
    return new Message(objectIn(text));
  }

  string(name: string): string {
    return asString(this.member(name), name);
  }

  /** Also for members that an operation does not use: Flipt refuses wrong types in them. */
  strings<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
    return Object.fromEntries(names.map((name) => [name, this.string(name)])) as Record<Name, string>;
  }

  stringList(name: string): readonly string[] {
    return this.list(name).map((value, at) => asString(value, `${name}[${at}]`));
  }

  stringMap(name: string): Readonly<Record<string, string>> {
    const entries = Object.entries(asObject(this.member(name), name));
    return Object.fromEntries(entries.map(([key, value]) => [key, asString(value, `${name}.${key}`)]));
  }

  messages(name: string): readonly Message[] {
    return this.list(name).map((value, at) => new Message(asObject(value, `${name}[${at}]`)));
  }

  integer(name: string): number {
    const value = this.member(name) ?? 0;
    const number = typeof value === 'string' && /^ *-?(?:0|[1-9]\d*) *$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= LARGEST_INT32)
      return number;
    throw wrongType(name, 'an integer of 32 bits', value);
  }

  /** The client may also send the number of a name. A number without a name is kept, as in Flipt. */
  enumeration<Name extends string>(name: string, names: readonly [Name, ...Name[]]): Name | number {
    const value = this.member(name) ?? names[0];
    if (typeof value === 'number') return names[this.integer(name)] ?? value;
    const found = names.find((candidate) => candidate === value);
    if (found === undefined) throw wrongType(name, `one of ${names.join(', ')}`, value);
    return found;
  }

  /** In UTC, with a fraction of 0, 3, 6 or 9 digits. */
  timestamp(name: string): string | undefined {
    const value = this.member(name) ?? undefined;
    if (value === undefined) return undefined;
    const [text, seconds = '', fraction = '', zone = ''] =
      (typeof value === 'string' && DATE_TIME.exec(value)) || [];
    const date = new Date(seconds + zone);
    if (text === undefined || Number.isNaN(date.getTime()))
      throw wrongType(name, 'a date-time (RFC 3339)', value);
    const digits = fraction
      .slice(1, 10)
      .padEnd(9, '0')
      .replace(/(?:000){1,3}$/, '');
    return `${date.toISOString().slice(0, 19)}${digits && `.${digits}`}Z`;
  }

  private list(name: string): readonly unknown[] {
    const value = this.member(name) ?? [];
    if (!Array.isArray(value)) throw wrongType(name, 'a list', value);
    return value;
  }

  private member(name: string): unknown {
    if (Object.hasOwn(this.members, name)) return this.members[name];
    const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return Object.hasOwn(this.members, snakeCase) ? this.members[snakeCase] : undefined;
  }
}

function asString(value: unknown, name: string): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw wrongType(name, 'a string', value);
  return text;
}

function wrongType(name: string, expected: string, value: unknown): Refusal {
  return new Refusal(400, `invalid value for ${name}: expected ${expected}, got ${kindOf(value)}`);
}

export function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw new Refusal(400, `too many values for field "${name}": ${values.join(', ')}`);
  return values[0];
}

export function paginated<Item>(list: readonly Item[], query: URLSearchParams) {
  const limit = natural(query, 'limit');
  const offset = natural(query, 'offset');
  const token = single(query, 'pageToken') ?? '';
  single(query, 'reference');
  if (limit === 0 && (offset > 0 || token !== '')) {
    throw new Refusal(400, 'limit must be set when offset or pageToken is set');
  }
  if (!/^\d{0,15}$/.test(token)) throw new Refusal(400, `pageToken is not valid: ${JSON.stringify(token)}`);
  const start = token === '' ? offset : Number(token);
  const end = limit === 0 ? list.length : start + limit;
  return {
    items: list.slice(start, end),
    nextPageToken: end < list.length ? String(end) : '',
    totalCount: list.length,
  };
}

function natural(query: URLSearchParams, name: string): number {
  const text = single(query, name) ?? '0';
  if (!/^\+?\d{1,10}$/.test(text) || Number(text) > LARGEST_INT32)
    throw invalidField(name, 'must be an integer >= 0');
  return Number(text);
}

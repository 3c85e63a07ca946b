import { parseDateTime } from '../../engine/go-syntax.js';
import { isRecord, kindOf } from '../../base/text/describe.js';
import { LARGEST_INT32 } from './query.js';
import { invalid } from './refused-request.js';

const FIRST_INSTANT = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1_000_000n;
const END_OF_TIME = BigInt(Date.parse('+010000-01-01T00:00:00Z')) * 1_000_000n;

/**
 * The body of a request, read by the rules of proto3's JSON mapping, as in Flipt. The service ignores unknown members
 * of the body. A member of the body that is missing or `null` has its default value. The client can also write the name
 * of a member in snake_case. The service refuses a value of a wrong type in a member that the operation reads.
 */
export class Message {
  private constructor(private readonly members: Readonly<Record<string, unknown>>) {}

  /** A missing body counts as an empty message. */
  static of(value: unknown, name = 'the body'): Message {
    if (value === undefined || value === null) return new Message({});
    if (!isRecord(value)) throw wrongType(name, 'an object', value);
    return new Message(value);
  }

  string(name: string): string {
    return asString(this.member(name), name);
  }

  /**
   * Returns the values of several members, which must be strings. An operation should also pass the names of members
   * that it does not use, so that a wrong type in such a member makes the request fail, as in Flipt.
   */
  texts<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
    return Object.fromEntries(names.map((name) => [name, this.string(name)])) as Record<Name, string>;
  }

  /** Returns the value of an int32 member. The client can send the integer as a string of digits, too. */
  integer(name: string): number {
    return asInteger(this.member(name) ?? 0, name);
  }

  /**
   * Returns the value of an enum member. The client can send the value as a name or as a number. A number without a
   * name is returned as a number. If the member is missing, the function returns the first name in `names`.
   */
  enumeration<Name extends string>(name: string, names: readonly [Name, ...Name[]]): Name | number {
    const value = this.member(name) ?? names[0];
    if (typeof value === 'number') {
      const number = asInteger(value, name);
      return names[number] ?? number;
    }
    const found = names.find((candidate) => candidate === value);
    if (found === undefined) throw wrongType(name, `one of ${names.join(', ')}`, value);
    return found;
  }

  strings(name: string): readonly string[] {
    return this.list(name).map((value, index) => asString(value, `${name}[${index}]`));
  }

  messages(name: string): readonly Message[] {
    return this.list(name).map((value, index) => Message.of(value, `${name}[${index}]`));
  }

  stringMap(name: string): Readonly<Record<string, string>> {
    const value = this.member(name) ?? {};
    if (!isRecord(value)) throw wrongType(name, 'an object of strings', value);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key.toWellFormed(), asString(member, `${name}.${key}`)]),
    );
  }

  /**
   * Returns the value of a date-time member in the format of RFC 3339 in UTC. The fraction of the second has 0, 3, 6 or
   * 9 digits. Returns `undefined` if the member is missing or `null`.
   */
  timestamp(name: string): string | undefined {
    const value = this.member(name);
    if (value === undefined || value === null) return undefined;
    const instant = typeof value === 'string' && value.includes('T') ? parseDateTime(value) : undefined;
    if (instant === undefined) throw wrongType(name, 'a date-time as RFC 3339 has it', value);
    if (instant < FIRST_INSTANT || instant >= END_OF_TIME) {
      throw invalid(`invalid value for ${name}: expected a date-time in the years 1 to 9999, UTC`);
    }
    return written(instant);
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
  return text.toWellFormed();
}

function written(instant: bigint): string {
  const fraction = ((instant % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((instant - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  const digits = String(fraction)
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`;
}

/** An integer in a string can have spaces around it, but must not have a leading zero, as in Flipt. */
const INTEGER_TEXT = /^ *-?(?:0|[1-9][0-9]{0,9}) *$/;

function asInteger(value: unknown, name: string): number {
  const integer = typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value;
  if (!Number.isInteger(integer) || typeof integer !== 'number') throw wrongType(name, 'an integer', value);
  if (integer > LARGEST_INT32 || integer < -LARGEST_INT32 - 1) throw wrongType(name, 'an int32', value);
  return integer;
}

/** The error message shows only the type of the wrong value, because the value itself might be long or secret. */
function wrongType(name: string, expected: string, value: unknown): Error {
  return invalid(`invalid value for ${name}: expected ${expected}, got ${kindOf(value)}`);
}

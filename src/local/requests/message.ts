import { parseDateTime } from '../../engine/syntax/date-syntax.js';
import { withoutRoundFractions } from './json-text.js';
import { kindOf, messageOf } from '../../text/describe.js';
import { invalid } from './refusal.js';

const LARGEST_INT32 = 2 ** 31 - 1;

/**
 * A request's body, read as the service reads it: proto3's JSON mapping. Unknown members are passed over, null and
 * what is missing are the default, and a member may carry its snake_case name. Every wrong type throws a 400.
 */
export class Message {
  private constructor(private readonly members: Readonly<Record<string, unknown>>) {}

  /** An empty body is an empty message. */
  static parse(body: string): Message {
    return Message.of(parseJson(body), 'the body');
  }

  /** The same for a body that may hold integers or an enum's number: they are written with digits only. */
  static parseExact(body: string): Message {
    parseJson(body);
    return Message.parse(withoutRoundFractions(body));
  }

  private static of(value: unknown, name: string): Message {
    if (value === undefined || value === null) return new Message({});
    if (!isObject(value)) throw wrongType(name, 'an object', value);
    return new Message(value);
  }

  string(name: string): string {
    return asString(this.member(name), name);
  }

  /** An int32, which may come as a string of digits. */
  integer(name: string): number {
    return asInteger(this.member(name) ?? 0, name);
  }

  /** An enum by name; by number too, which stays a number where it has no name. The first name is the default. */
  enumeration<Name extends string>(name: string, names: readonly [Name, ...Name[]]): Name | number {
    const value = this.member(name) ?? names[0];
    if (typeof value === 'number') {
      const number = asInteger(value, name);
      return names[number] ?? number;
    }
    const known = names.find((candidate) => candidate === value);
    if (known === undefined) throw wrongType(name, `one of ${names.join(', ')}`, value);
    return known;
  }

  strings(name: string): readonly string[] {
    return this.list(name).map((value, index) => asString(value, `${name}[${index}]`));
  }

  messages(name: string): readonly Message[] {
    return this.list(name).map((value, index) => Message.of(value, `${name}[${index}]`));
  }

  stringMap(name: string): Readonly<Record<string, string>> {
    const value = this.member(name) ?? {};
    if (!isObject(value)) throw wrongType(name, 'an object of strings', value);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key.toWellFormed(), asString(member, `${name}.${key}`)]),
    );
  }

  /** An RFC 3339 date-time in UTC, to the nanosecond; undefined where there is none. */
  timestamp(name: string): string | undefined {
    const value = this.member(name);
    if (value === undefined || value === null) return undefined;
    const instant = typeof value === 'string' && value.includes('T') ? parseDateTime(value) : undefined;
    if (instant === undefined) throw wrongType(name, 'a date-time as RFC 3339 has it', value);
    const fraction = ((instant % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    const seconds = new Date(Number((instant - fraction) / 1_000_000n)).toISOString().slice(0, 19);
    const digits = String(fraction)
      .padStart(9, '0')
      .replace(/0{1,9}$/, '');
    return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`;
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

function parseJson(body: string): unknown {
  if (/^[ \t\r\n]*$/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    throw invalid(`the body is not JSON: ${messageOf(error)}`);
  }
}

function asString(value: unknown, name: string): string {
  const text = value ?? '';
  if (typeof text !== 'string') throw wrongType(name, 'a string', value);
  return text.toWellFormed();
}

function asInteger(value: unknown, name: string): number {
  const integer = typeof value === 'string' && /^-?[0-9]{1,10}$/.test(value) ? Number(value) : value;
  if (!Number.isInteger(integer) || typeof integer !== 'number') throw wrongType(name, 'an integer', value);
  if (integer > LARGEST_INT32 || integer < -LARGEST_INT32 - 1) throw wrongType(name, 'an int32', value);
  return integer;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shows the kind of the value only: the value may be long, or a secret. */
function wrongType(name: string, expected: string, value: unknown): Error {
  return invalid(`invalid value for ${name}: expected ${expected}, got ${kindOf(value)}`);
}

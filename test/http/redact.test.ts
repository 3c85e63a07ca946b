import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceErrorOf } from '../../src/http/reply-message.js';
import { redactor } from '../../src/http/redact.js';
import { replied } from './outcomes.fixture.js';

const TOKEN = 'Zm9vYmFy/cXV1eHF1+dXV4Zm9v==';
const RUNS = /Zm9vYmFy|cXV1eHF1|dXV4Zm9v/;
const redact = redactor({ authorization: `Bearer ${TOKEN}` }, {}, []);

/** Escapes everything except letters and digits, which no writer escapes. */
const each = (text: string, written: (character: string, code: number) => string) =>
  text.replaceAll(/[^a-z\d]/gi, (character) => written(character, character.charCodeAt(0)));
const hex = (code: number) => code.toString(16).padStart(2, '0');

const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '/': '&sol;',
  '+': '&plus;',
  '=': '&equals;',
  '.': '&period;',
  _: '&lowbar;',
};

const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with slashes escaped': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON with all escaped': (text) => each(text, (_, code) => `\\u00${hex(code)}`),
  'JSON with all escaped in capitals': (text) => each(text, (_, code) => `\\u00${hex(code).toUpperCase()}`),
  'the escapes of C': (text) => each(text, (_, code) => `\\x${hex(code)}`),
  'HTML by name': (text) => each(text, (character) => NAMES[character] ?? character),
  'HTML by number': (text) => each(text, (_, code) => `&#${code};`),
  'HTML by number with zeros': (text) => each(text, (_, code) => `&#0${code};`),
  'HTML by hexadecimal number': (text) => each(text, (_, code) => `&#x${hex(code)};`),
  'HTML in capitals': (text) => each(text, (_, code) => `&#X${hex(code).toUpperCase()};`),
  'a part of a URL': encodeURIComponent,
  'a URL with all escaped': (text) => each(text, (_, code) => `%${hex(code)}`),
};
const WAYS = Object.values(WRITTEN);

it('redacts the details of an error after the escapes of JSON are gone, in values and in names', () => {
  const redact = redactor({ authorization: 'Bearer dummy-secret' }, {}, []);
  const escaped = 'dummy-secret'.replace(
    /./g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const text = redact(`{"message":"${escaped}","details":[{"a":["${escaped}"],"${escaped}":1}]}`);
  const error = serviceErrorOf({ ...replied(400, text), redact });
  expect(JSON.stringify(error)).not.toMatch(/dummy|secret/);
  expect(error?.details).toEqual([{ a: [expect.any(String)], [String(error?.message)]: 1 }]);
});

describe('a credential is hidden', () => {
  it('where it stands as it is', () => {
    expect(redact(`sent: Bearer ${TOKEN}, ${TOKEN}`)).toBe('sent: Bearer [credential], [credential]');
  });

  it.each(Object.entries(WRITTEN))('written as %s', (_, written) => {
    const shown = redact(`<p>sent: ${written(`Bearer ${TOKEN}`)}</p>`);
    expect(shown).toMatch(/^<p>sent: .*\[credential\].*<\/p>$/);
    expect(shown).not.toMatch(RUNS);
  });

  it('whatever its characters, and however many ways of writing are nested: no six letters of it are left', () => {
    const character = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
    const token = fc.string({ unit: character, minLength: 6, maxLength: 40 });
    const ways = fc.array(fc.constantFrom(...WAYS), { maxLength: 4 });
    fc.assert(
      fc.property(token, ways, (secret, written) => {
        const escaped = written.reduce((text, write) => write(text), secret);
        const shown = redactor({ authorization: secret }, {}, [])(escaped);
        for (const run of secret.match(/[a-z\d]{6,}/gi) ?? []) {
          fc.pre(!'[credential]'.includes(run));
          expect(shown).not.toContain(run);
        }
      }),
    );
  });

  it('in each of its parts', () => {
    const cookie = redactor({}, { cookie: 'sid=S3cretValue0123; theme=dark' }, []);
    expect(cookie('{"sid":"S3cretValue0123","theme":"dark"}')).toBe('{"sid":"[credential]","theme":"dark"}');
    const signed = redactor({ authorization: 'ApiKey id="x", key="S3cret-Value"' }, {}, []);
    expect(signed('x, S3cret and Value')).toBe('x, [credential] and Value');
  });

  it('that goes to a proxy, or in a header of the options that is named like one', () => {
    const other = { 'x-api-key': 'key-of-mine', 'x-team': 'checkout' };
    const shown = redactor({}, other, ['Basic dXNlcjpwYXNz'])('key-of-mine, dXNlcjpwYXNz, checkout');
    expect(shown).toBe('[credential], [credential], checkout');
  });
});

describe('HTTP Basic', () => {
  const value = `Basic ${btoa('ada:S3cret:value')}`;

  it.each([
    ['credentials', redactor({ authorization: value }, {}, [])],
    ['a header of the options', redactor({}, { authorization: value }, [])],
    ['a proxy', redactor({}, {}, [value])],
  ])('hides what is sent and the password, but not the name of the user: %s', (_, hide) => {
    expect(hide(`${value} is ada with S3cret:value`)).toBe('Basic [credential] is ada with [credential]');
    expect(hide('"S3cret%3Avalue"')).toBe('"[credential]%3Avalue"');
  });
});

describe('nothing else is hidden', () => {
  it.each(['a 100% sure <p>&nbsp;&copy; 2024 C:\\new\\x', 'Zm9vY, Bearer, Basic'])('of %j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('if there is no credential, or one of less than six characters', () => {
    expect(redactor({}, {}, [])('anything')).toBe('anything');
    expect(redactor({ authorization: 'Bearer short' }, {}, [])('too short')).toBe('too short');
  });
});

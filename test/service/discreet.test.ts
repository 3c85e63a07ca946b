import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiding } from '../../src/service/discreet.js';

const TOKEN = 'ab/cd+ef/gh==SECRET';
const hide = hiding({ authorization: `Bearer ${TOKEN}` }, {}, []);

const each = (text: string, written: (character: string, code: number) => string) =>
  Array.from(text, (character) => written(character, character.charCodeAt(0))).join('');
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

describe('a credential is hidden', () => {
  it.each(Object.entries(WRITTEN))('written as %s', (_, written) => {
    expect(hide(`<p>sent: ${written(TOKEN)}</p>`)).toBe('<p>sent: [credential]</p>');
    expect(hide(`<p>sent: ${written(`Bearer ${TOKEN}`)}</p>`)).toMatch(
      /^<p>sent: (Bearer )?\[credential\]<\/p>$/,
    );
  });

  it('whatever it is made of, written in up to four ways, one in the other', () => {
    // A backslash stands in no token, cookie or other credential that is made for a header.
    const visible = fc
      .integer({ min: 33, max: 126 })
      .map((code) => String.fromCharCode(code))
      .filter((character) => character !== '\\');
    const token = fc.string({ unit: visible, minLength: 6, maxLength: 20 });
    const ways = fc.array(fc.constantFrom(...WAYS), { maxLength: 4 });
    fc.assert(
      fc.property(token, ways, (secret, written) => {
        const told = written.reduce((text, write) => write(text), secret);
        expect(hiding({ authorization: secret }, {}, [])(`{ "a": "${told}" }`)).toContain('[credential]');
      }),
      { numRuns: 2_000 },
    );
  });

  it('that looks escaped by itself', () => {
    const told = hiding({ cookie: 'session=a%2Fb/c&amp' }, {}, [])('{"sent":"session=a%2Fb\\/c&amp"}');
    expect(told).toBe('{"sent":"[credential]"}');
  });

  it('escaped so often that nobody can tell, with all that stands around it', () => {
    expect(hide(`sent: ab${'%25'.repeat(3)}2Fcd`)).toBe(`sent: ab${'%25'.repeat(3)}2Fcd`);
    expect(hide(`sent: &${'amp;'.repeat(9)}`)).toBe('[credential]');
  });

  it('in text of any length: what is too long to be searched is not shown', () => {
    expect(hide(`${'x'.repeat(30_000)}${TOKEN}`)).toMatch(/x\[credential\]$/);
    expect(hide(`${TOKEN}${'x'.repeat(40_000)}`)).toBe(
      '[40019 characters, too many to look for credentials]',
    );
  });

  it('that goes to a proxy, or in a header of the options that is named like one', () => {
    const other = { 'x-api-key': 'key-of-mine', 'x-team': 'checkout' };
    const told = hiding({}, other, ['Basic dXNlcjpwYXNz'])('key-of-mine, dXNlcjpwYXNz, checkout');
    expect(told).toBe('[credential], [credential], checkout');
  });
});

describe('nothing else is hidden', () => {
  it.each([
    'a 100% sure <p>&nbsp;&copy; 2024 C:\\new\\x',
    '{"a":"\\u0061\\/b%20c"}',
    'ab/cd+ef/gh==',
    'Bearer',
    '&constructor; &#9999999; &#xffff; %zz',
  ])('of %j', (text) => {
    expect(hide(text)).toBe(text);
  });

  it('where there is no credential, or one of less than six characters', () => {
    const long = `${'%25'.repeat(20_000)}short`;
    expect(hiding({}, {}, [])(long)).toBe(long);
    expect(hiding({ authorization: 'short' }, {}, [])('too short')).toBe('too short');
  });
});

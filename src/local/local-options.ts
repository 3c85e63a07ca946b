import * as v from 'valibot';
import type { Semantics } from '../engine/features.js';
import type { FeaturesSource } from './features/features-file.js';

/** What {@link startLocalService} may be told. A wrong or unknown option is a TypeError that names it. */
export interface LocalServiceOptions {
  /**
   * What the service holds at first: the path of a features file (or its `file:` URL), YAML or JSON text, or
   * documents as objects. A string with a line break in it, or one that begins with `{`, is text; any other string is
   * a path. Needed unless `data` names a file that exists, which then wins. Default: none.
   */
  readonly features?: FeaturesSource;
  /** The port to listen on. Default 0: any free one. */
  readonly port?: number;
  /** The address to listen on. Default `127.0.0.1`, which only this machine reaches. */
  readonly host?: string;
  /** Whose rules of evaluation apply. Default `v1`. Flipt v2 serves evaluation only, and so does this with `v2`. */
  readonly semantics?: Semantics;
  /**
   * The path of a file that keeps every change: a request is answered only after its change is safe on disk, and the
   * next start goes on from there. Default: changes are kept in memory only.
   */
  readonly data?: string;
  /**
   * The first token. Where it is given, everything but `GET /health` takes a token: this one, or one made with it.
   * Default: none, and no token is needed.
   */
  readonly bootstrapToken?: string;
}

const schema = v.strictObject({
  features: v.optional(v.union([v.string(), v.instance(URL), v.looseObject({}), v.array(v.unknown())])),
  port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65535))),
  host: v.optional(v.pipe(v.string(), v.nonEmpty())),
  semantics: v.optional(v.picklist(['v1', 'v2'])),
  data: v.optional(v.pipe(v.string(), v.nonEmpty())),
  bootstrapToken: v.optional(v.pipe(v.string(), v.nonEmpty())),
});

const EXPECTED: Readonly<Record<string, string>> = {
  features: 'a path, YAML text or documents',
  port: 'an integer from 0 to 65535',
  host: 'an address to listen on',
  semantics: '"v1" or "v2"',
  data: 'the path of a file',
  bootstrapToken: 'a token',
};

/** Throws a TypeError that names what is wrong, what was expected and, except for a token, what was given. */
export function checkOptions(options: LocalServiceOptions): void {
  const result = v.safeParse(schema, options);
  if (result.success) return;
  const [issue] = result.issues;
  const key = issue.path?.[0]?.key;
  const name = typeof key === 'string' ? key : '';
  const expected = EXPECTED[name];
  if (name === '') throw new TypeError(`options: expected an object, got ${issue.received}`);
  if (expected === undefined) {
    throw new TypeError(`${name}: unknown option, expected one of ${Object.keys(EXPECTED).join(', ')}`);
  }
  const given = name === 'bootstrapToken' ? '' : `, got ${issue.received}`;
  throw new TypeError(`${name}: expected ${expected}${given}`);
}

const flagState = v.strictObject({ enabled: v.boolean() });

/** Throws a TypeError that names what is wrong: what is stored here is evaluated, and perhaps kept in a file. */
export function checkFlagState(state: { readonly enabled: boolean }): void {
  const [issue] = v.safeParse(flagState, state).issues ?? [];
  if (issue === undefined) return;
  const key = issue.path?.[0]?.key;
  if (typeof key !== 'string') throw new TypeError(`state: expected { enabled }, got ${issue.received}`);
  if (key !== 'enabled') throw new TypeError(`${key}: unknown member; expected { enabled }`);
  throw new TypeError(`enabled: expected true or false, got ${issue.received}`);
}

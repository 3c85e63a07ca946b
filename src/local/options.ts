import * as v from 'valibot';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS } from '../engine/version-differences.js';
import type { FeaturesSource } from '../features/read-features.js';
import type { OptionRules } from '../options/check-options.js';
import { filledText, members, optionRules, token, trueOrFalse } from '../options/value-rules.js';

/** A wrong or unknown option is a TypeError. */
export interface LocalServiceOptions {
  /**
   * A path (or a `file:` URL as a `URL` object), YAML or JSON text, or documents as objects. A string with a line
   * break or `: `, or with `{` or `[` at its beginning, is text; any other is a path. Ignored if the file of `data`
   * has content, and required otherwise.
   */
  readonly features?: FeaturesSource;
  /** 0 means any free port. Default 0. */
  readonly port?: number;
  /** Only programs on this machine reach the default. Default `127.0.0.1`. */
  readonly host?: string;
  /**
   * Further hosts by which clients may address the service, such as `flags.test` or the name of a container, and
   * whose pages may send requests. Loopback names and addresses, and `host`, are always allowed; with `0.0.0.0` or
   * `::` as `host`, so is any IP address as the service's own. Others get a 403, so that no web site uses the service
   * through a visitor's browser. Default: none.
   */
  readonly allowHosts?: readonly string[];
  /**
   * The Flipt whose rules and interface the service has: v1, 2.0 to 2.8 (`v2.8`), or 2.9 and newer (`v2`). v2 has a
   * stream of changes, but no operations for flags, rules, segments, variants and tokens. Default `v1`.
   */
  readonly semantics?: Semantics;
  /**
   * Refuses features that this Flipt would refuse. With `false`, Node emits a process warning about them in a file or
   * text. The file of `data` is not checked. Default `false`.
   */
  readonly strict?: boolean;
  /**
   * The path of a file that keeps features and tokens, but no overrides. A change is answered once it is safe on
   * disk. Only one process at a time may use the file. Default: none, and a restart forgets all changes.
   */
  readonly data?: string;
  /**
   * The first token, with which clients of `v1` create others. Every request but `GET /health`, the page and its
   * files then needs a token. Default: none.
   */
  readonly bootstrapToken?: string;
}

export interface OverrideOptions {
  /** Default `default`. */
  readonly namespace?: string | undefined;
  /** The `targetingKey` of the only entity that gets the value. Default: all get it. */
  readonly for?: string | undefined;
}

const PORT = 'an integer from 0 to 65535';

export const LOCAL_OPTIONS: OptionRules = {
  owner: 'startLocalService',
  shape: members({
    features: v.optional(
      v.union(
        [v.string(), v.instance(URL), v.looseObject({}), v.array(v.unknown())],
        'a path, YAML text or documents',
      ),
    ),
    port: v.optional(v.pipe(v.number(PORT), v.integer(PORT), v.minValue(0, PORT), v.maxValue(65535, PORT))),
    host: v.optional(filledText('an address to listen on')),
    allowHosts: v.optional(v.array(filledText('the name of a host'), 'a list of hosts')),
    semantics: v.optional(v.picklist(ALL_SEMANTICS, '"v1", "v2.8" or "v2"')),
    strict: v.optional(trueOrFalse),
    data: v.optional(filledText('the path of a file')),
    bootstrapToken: v.optional(token('a token')),
  }),
};

export const OVERRIDE_OPTIONS: OptionRules = optionRules('set', {
  namespace: v.optional(filledText('a namespace')),
  for: v.optional(filledText('the targetingKey of an entity')),
});

export const FLAG_STATE: OptionRules = {
  owner: 'setFlag',
  shape: members({ enabled: trueOrFalse }, 'an object { enabled }'),
};

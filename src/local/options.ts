import * as v from 'valibot';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS } from '../engine/version-differences.js';
import type { FeaturesSource } from '../features/read-features.js';
import type { OptionRules } from '../options/check-options.js';
import { filledText, members, optionRules, trueOrFalse } from '../options/value-rules.js';

/** The options of {@link startLocalService}, which rejects with a TypeError if one is wrong or unknown. */
export interface LocalServiceOptions {
  /**
   * The path of a features file (or its `file:` URL as a `URL` object), YAML or JSON text, or documents as objects. A
   * string with a line break or `: `, or with `{` or `[` at its beginning, is text; any other string is a path. Ignored if
   * the file of the option `data` has content, and required otherwise.
   */
  readonly features?: FeaturesSource;
  /** 0 means any free port. Default 0. */
  readonly port?: number;
  /** The address to listen on. Only programs on this machine reach the default. Default `127.0.0.1`. */
  readonly host?: string;
  /**
   * Further hosts by which clients may address the service, such as `flags.test` or the name of a container, and whose
   * pages may send requests. Loopback names and addresses, and `host`, are always allowed; with `0.0.0.0` or `::` as
   * `host`, so is any IP address as the service's own. A request to or from any other host is answered with 403, so that
   * no web site uses the service through a visitor's browser. Default: none.
   */
  readonly allowHosts?: readonly string[];
  /**
   * The Flipt whose rules and interface the service has: v1 (`v1`), 2.0 to 2.8 (`v2.8`), or 2.9 and newer (`v2`). Flipt
   * v2 has no operations that list flags and rules, or that manage segments, rules, variants and tokens, but a stream of
   * changes. Default `v1`.
   */
  readonly semantics?: Semantics;
  /**
   * With `true`, features that this Flipt would refuse are refused. With `false`, Node emits a process warning if a
   * features file or text has such a part. Features in the file of the option `data` are not checked. Default `false`.
   */
  readonly strict?: boolean;
  /**
   * The path of a file in which the service saves its features and tokens, but no overrides. A change is answered only
   * once it is safe on disk. Only one process at a time may use the file. Default: none, and a restart forgets all changes.
   */
  readonly data?: string;
  /**
   * The first token, with which clients of `v1` can create others. With it, every request needs a token but `GET
   * /health`, the page and its files. Default: none, and no request needs a token.
   */
  readonly bootstrapToken?: string;
}

/** The options of {@link LocalService.set}. */
export interface OverrideOptions {
  /** Default `default`. */
  readonly namespace?: string | undefined;
  /** The `targetingKey` of the only entity that gets the value. Default: all entities get it. */
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
    bootstrapToken: v.optional(filledText('a token')),
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

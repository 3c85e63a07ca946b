import * as v from 'valibot';
import type { OptionRules } from '../options/check-options.js';
import { filledText, members, rulesWithoutSecrets, trueOrFalse } from '../options/value-rules.js';
import { isObject } from '../base/text/describe.js';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS } from '../engine/version-differences.js';
import type { FeaturesSource } from '../features/read-features.js';

/** The options of {@link startLocalService}. A wrong or unknown option is a TypeError that names it. */
export interface LocalServiceOptions {
  /**
   * The features to start with: the path of a features file (or its `file:` URL), YAML or JSON text, or
   * documents as objects. A string with a line break in it, or one that begins with `{`, is text; any other string is
   * a path. Required unless `data` names a file that exists, which then wins. Default: none.
   */
  readonly features?: FeaturesSource;
  /** The port to listen on. Default 0: any free one. */
  readonly port?: number;
  /** The address to listen on. Default `127.0.0.1`, which only this machine reaches. */
  readonly host?: string;
  /**
   * Further hosts by which the service may be addressed, such as `flags.test` or the name of a container. A request
   * with another `Host`, or from a page of another `Origin`, is a 403, so that no web site can use the service of
   * somebody who visits it. The names of this machine and `host` are always allowed; with the host `0.0.0.0` or `::`, all
   * IP addresses are, but pages of other addresses are not. Default: none.
   */
  readonly allowHosts?: readonly string[];
  /**
   * Whose rules of evaluation apply: Flipt v1's, those of Flipt 2.0 to 2.8 (`v2.8`), or those of 2.9 and newer (`v2`).
   * Default `v1`. With `v2.8` and `v2`, only evaluation and snapshots are served, as by Flipt v2, and their stream: of
   * events (`v2`) or, with another `Accept`, of snapshots as lines of JSON.
   */
  readonly semantics?: Semantics;
  /**
   * Whether features that this version of Flipt would refuse are refused here, too, also by {@link LocalService.load};
   * otherwise a warning of the process names the first one, if they were read from a file or a text. Default false.
   */
  readonly strict?: boolean;
  /**
   * The path of a file that keeps every change: a request is answered only after its change is safe on disk, and the
   * next start continues from there. Default: changes are kept in memory only.
   */
  readonly data?: string;
  /**
   * The first token. With it, all flags and all changes require a token: this one, or one created with it. `GET /health`,
   * the page for browsers with its files, and `GET /local/v1/session`, which says whether a token is accepted, need none.
   * Default: none, and no token is required.
   */
  readonly bootstrapToken?: string;
}

/** The options of {@link LocalService.set}. */
export interface OverrideOptions {
  /** The namespace of the flag. Default: `default`. */
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
  showsText: (path) => path !== 'bootstrapToken',
};

export const OVERRIDE_OPTIONS: OptionRules = rulesWithoutSecrets('set', {
  namespace: v.optional(filledText('a namespace')),
  for: v.optional(filledText('the targetingKey of an entity')),
});

/** A wrong state would be evaluated, and perhaps saved in a file. */
export const FLAG_STATE: OptionRules = {
  owner: 'setFlag',
  shape: members({ enabled: trueOrFalse }, 'an object { enabled }'),
  showsText: () => true,
  hint: (path, _given, holder) =>
    isObject(holder) && path !== 'enabled'
      ? 'setFlag takes { enabled } only, and set(key, value) does the rest'
      : undefined,
};

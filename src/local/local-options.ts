import * as v from 'valibot';
import type { OptionRules } from '../options/check-options.js';
import { filledText, members, rulesWithoutSecrets, trueOrFalse } from '../options/value-rules.js';
import { isObject } from '../base/text/describe.js';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS } from '../engine/version-differences.js';
import type { FeaturesSource } from '../features/read-features.js';

/**
 * The options of {@link startLocalService}. If an option is wrong or unknown, {@link startLocalService} rejects with a
 * TypeError that names the option.
 */
export interface LocalServiceOptions {
  /**
   * The features to start with: the path of a features file (or its `file:` URL as a `URL` object), YAML or JSON text,
   * or documents as objects. A string that contains a line break or `: `, or begins with `{` or `[`, is text; any other is a
   * path. If the option `data` names a file with content, the service uses the features of that file and ignores the
   * option `features`. The option `features` is required if the option `data` is missing, or if the file that `data`
   * names is missing or empty. Default: none.
   */
  readonly features?: FeaturesSource;
  /** The port on which the service listens; 0 means any free port. Default 0. */
  readonly port?: number;
  /**
   * The address on which the service listens. Only programs on this machine can reach the default address. Default
   * `127.0.0.1`.
   */
  readonly host?: string;
  /**
   * Additional hosts by which clients can address the service, such as `flags.test` or the name of a container. The
   * service answers a request with 403 if its header `Host` has a host that is not allowed, or if its header `Origin`
   * names a page of such a host. The status 403 keeps web sites whose host is not allowed from reading or changing
   * flags through a visitor's browser. Loopback names and addresses, and the host in the option `host`, are always
   * allowed. If the option `host` is `0.0.0.0` or `::`, every IP address is allowed in the header `Host`. In the header
   * `Origin`, the address in `Host` is then allowed, too, but no other address becomes allowed. Default: none.
   */
  readonly allowHosts?: readonly string[];
  /**
   * The version of Flipt by whose rules the service evaluates flags: Flipt v1 (`v1`), Flipt 2.0 to 2.8 (`v2.8`), or
   * Flipt 2.9 and newer (`v2`). With `v2.8` and `v2`, the service has none of Flipt v1's operations that list flags and
   * rules, or that read or change segments, rules, variants and tokens; instead, the service offers a stream of
   * changes. With `v2`, the stream sends events to clients whose header `Accept` is `text/event-stream`, and snapshots
   * as lines of JSON to all other clients. With `v2.8`, the stream sends snapshots as lines of JSON to all clients.
   * Default `v1`.
   */
  readonly semantics?: Semantics;
  /**
   * Whether {@link startLocalService} and {@link LocalService.load} reject features that the chosen version of Flipt
   * would refuse. If `strict` is `false`, Node emits a process warning that names the first thing that Flipt would
   * refuse in a features file or a text. The service does not check whether Flipt would refuse features from the file
   * in the option `data`. Default false.
   */
  readonly strict?: boolean;
  /**
   * The path of a file in which the service saves every change of the features and of the tokens. The service never
   * saves overrides. If a request changes features or tokens, the service reports success only after the change is safe
   * on disk. When the service starts again, it continues with the content of the file. Default: none, and the service
   * keeps changes in memory only.
   */
  readonly data?: string;
  /**
   * The first token, with which clients can create other tokens if the option `semantics` is `v1`. If you set this
   * option, each request for flags and each change needs a token: either the first token, or a token that a client has
   * created over HTTP. Three kinds of requests never need a token: `GET /health`, the requests for the web page and its
   * files, and `GET /local/v1/session`. Default: none, and no request needs a token.
   */
  readonly bootstrapToken?: string;
}

/** The options of {@link LocalService.set}. */
export interface OverrideOptions {
  /** The namespace of the flag. Default: `default`. */
  readonly namespace?: string | undefined;
  /** The `targetingKey` of the only entity that gets the value. Default: none, and all entities get the value. */
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

/**
 * These rules check the argument `state` of `setFlag`, because the service would otherwise evaluate a wrong state and
 * save it in the data file.
 */
export const FLAG_STATE: OptionRules = {
  owner: 'setFlag',
  shape: members({ enabled: trueOrFalse }, 'an object { enabled }'),
  showsText: () => true,
  hint: (path, _given, holder) =>
    isObject(holder) && path !== 'enabled'
      ? 'setFlag takes { enabled } only, and set(key, value) does the rest'
      : undefined,
};

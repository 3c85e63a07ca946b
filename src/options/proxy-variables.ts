import { BlockList, isIP } from 'node:net';
import * as v from 'valibot';
import { networkModules } from '../base/network-modules.js';
import { isRecord, unlessItThrows } from '../base/text/describe.js';
import { checkOptions } from './check-options.js';
import { proxyRule, type CheckedHttp } from './http-options.js';
import type { Environment } from './connection-options.js';

/** The proxy through which requests go, or the reason why requests go through no proxy. */
export interface UsedProxy {
  /** The address of the proxy through which all requests go, or `undefined` if requests go through no proxy. */
  readonly proxy: URL | undefined;
  /**
   * The reason why requests go through no proxy although the option or an environment variable asks for a proxy, or
   * else `undefined`. Until Flipt has responded for the first time, the error message about a failed connection ends
   * with this reason, unless Flipt is on this machine.
   */
  readonly whyNoProxy: string | undefined;
}

/**
 * Finds the proxy for requests to Flipt. Without the option `http.proxy`, the package uses the proxies of environment
 * variables only if Node's own HTTP uses these proxies, too. If the value of an environment variable for the proxy is
 * wrong, the function throws a TypeError that names the variable.
 */
export function proxyOf(
  { url, http }: { readonly url: string; readonly http: CheckedHttp },
  owner: string,
  env: Environment,
): UsedProxy {
  const none = (whyNoProxy?: string) => ({ proxy: undefined, whyNoProxy });
  const { proxy: given, dispatcher, socketPath } = http;
  if (given instanceof URL) return { proxy: given, whyNoProxy: undefined };
  if (given === false || (dispatcher ?? socketPath) !== undefined) return none();
  const service = new URL(url);
  const isRead = given === 'env' || nodeUsesProxies();
  const named = isRead ? proxyVariableFor(service, env, given === 'env') : undefined;
  const excepting = firstSet(env, 'no_proxy');
  const isExcluded = isExcepted(service, excepting?.value ?? '');
  if (named === undefined) {
    const unused = proxyVariableFor(service, env, true);
    if (unused !== undefined && !isExcluded) {
      return none(
        `${unused.name} is set, but not used: set http.proxy to 'env' if Flipt is behind that proxy`,
      );
    }
    const isMissing = given === 'env' && unused === undefined;
    return none(isMissing ? noVariableFor(service) : undefined);
  }
  if (isExcluded) return none(`${excepting?.name ?? ''} excludes this host from ${named.name}`);
  const socks = /^socks\w*:/i.exec(named.value);
  if (socks !== null) {
    // The package must not connect without a proxy instead, because the user wants requests to go through the SOCKS
    // proxy.
    throw new TypeError(
      `${owner}: ${named.name}: names a SOCKS proxy (${socks[0]}), which cannot be used; set NO_PROXY=* for no proxy, or http.proxy to an http: or https: one`,
    );
  }
  const shape = v.object({ [named.name]: proxyRule() });
  const checked = checkOptions({ owner, shape }, { [named.name]: withScheme(named.value) });
  return { proxy: checked[named.name], whyNoProxy: undefined };
}

function noVariableFor({ protocol }: URL): string {
  const names = protocol === 'https:' ? 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY' : 'HTTP_PROXY or ALL_PROXY';
  return `no variable names a proxy for ${protocol} addresses (${names})`;
}

/** An environment variable and its value. */
interface Variable {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns whether Node's own HTTP uses the proxies of environment variables. From Node 22.21 and 24.5 on, Node uses the
 * proxies of environment variables with NODE_USE_ENV_PROXY=1, with `--use-env-proxy`, or after
 * `http.setGlobalProxyFromEnv()`. If Node uses the proxies of environment variables, the options of Node's global agent
 * have a member `proxyEnv`.
 */
function nodeUsesProxies(): boolean {
  // Some runtimes have no module `node:http`, and in some runtimes, Node's global agent has no member `options`.
  const options = unlessItThrows((): unknown => Reflect.get(networkModules.http.globalAgent, 'options'));
  return isRecord(options) && options.proxyEnv !== undefined;
}

/**
 * Returns the environment variable that names the proxy for requests to Flipt, or `undefined` if no variable names a
 * proxy. HTTPS_PROXY counts for `https:` addresses only, and HTTP_PROXY counts for `https:` and `http:` addresses. The
 * function reads ALL_PROXY last, and only if `readsAll` is true, because Node itself does not read ALL_PROXY.
 */
function proxyVariableFor(service: URL, env: Environment, readsAll: boolean): Variable | undefined {
  const kinds = [...(service.protocol === 'https:' ? ['https'] : []), 'http', ...(readsAll ? ['all'] : [])];
  for (const kind of kinds) {
    const found = firstSet(env, `${kind}_proxy`);
    if (found?.value) return found;
  }
  return undefined;
}

/**
 * Reads an environment variable for proxies, first by its name in small letters, such as `http_proxy`, and then by its
 * name in capitals. If the variable in small letters is set but empty, the function does not read the variable in
 * capitals.
 */
function firstSet(env: Environment, small: string): Variable | undefined {
  const name = env[small] === undefined ? small.toUpperCase() : small;
  const value = env[name]?.trim();
  return value === undefined ? undefined : { name, value };
}

/** Adds `http://` to an address without a scheme, because the variables that name proxies can hold such addresses. */
const withScheme = (address: string) => (address.includes('://') ? address : `http://${address}`);

/**
 * Returns whether NO_PROXY says that requests to the host go through no proxy. An entry of NO_PROXY is a host or a
 * domain, with or without a port, a range of addresses (`10.0.0.0/8`, `10.0.0.1-10.0.0.9`), or `*` for every host.
 */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const ownHost = plainHost(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    if (isIP(ownHost) !== 0 && isInRange(ownHost, entry)) return true;
    // An entry of NO_PROXY with more than one colon is an IPv6 address, in which the last colon does not begin a port.
    const [, host = entry, excepted] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
    const domain = plainHost(host.replace(/^\*?\./, '').toLowerCase());
    // The end of an address is no domain: `2.3` does not name 10.1.2.3.
    const isWithin = isIP(ownHost) === 0 && ownHost.endsWith(`.${domain}`);
    const isHost = ownHost === domain || isWithin || isSameAddress(ownHost, domain);
    return isHost && (excepted === undefined || excepted === ownPort);
  });
}

/** Returns a host without the brackets of an IPv6 address, and without the dot at the end of a fully qualified name. */
const plainHost = (host: string) => host.replace(/^\[(.+)\]$/, '$1').replace(/\.$/, '');

/** Returns whether two texts are the same IPv6 address. An IPv6 address can be written in several ways. */
function isSameAddress(one: string, other: string): boolean {
  return isIP(other) === 6 && isInRange(one, `${other}/128`);
}

/**
 * Returns whether an entry of NO_PROXY is a range of addresses that contains `address`. If the entry is no range, the
 * function returns `false`.
 */
function isInRange(address: string, entry: string): boolean {
  const [, first = '', kind, last = ''] = /^([\da-f.:]+)([/-])([\da-f.:]+)$/i.exec(entry) ?? [];
  if (kind === undefined) return false;
  const family = (of: string) => (isIP(of) === 6 ? 'ipv6' : 'ipv4');
  const isIn = unlessItThrows(() => {
    const range = new BlockList();
    if (kind === '/') range.addSubnet(first, Number(last), family(first));
    else range.addRange(first, last, family(first));
    return range.check(address, family(address));
  });
  return isIn === true;
}

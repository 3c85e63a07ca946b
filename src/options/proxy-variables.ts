import http from 'node:http';
import { BlockList, isIP } from 'node:net';
import * as v from 'valibot';
import { isRecord, unlessItThrows } from '../base/text/describe.js';
import { checkOptions } from './check-options.js';
import { proxyRule, type CheckedHttp } from './http-options.js';
import type { Environment } from './environment.js';

/** The proxy that requests go through. */
export interface UsedProxy {
  /** The proxy that all requests go through, from the option or a variable; `undefined` without one. */
  readonly proxy: URL | undefined;
  /** The variable that names a proxy which is not used; `undefined` without one. */
  readonly unusedProxy: string | undefined;
}

/**
 * Without the option, the proxies of the environment count where Node's own HTTP uses them. Throws a TypeError about the
 * variable, if that names the proxy.
 */
export function proxyOf(
  { url, http }: { readonly url: string; readonly http: CheckedHttp },
  owner: string,
  env: Environment,
): UsedProxy {
  const none = { proxy: undefined, unusedProxy: undefined };
  const { proxy: given, dispatcher, socketPath } = http;
  if (given instanceof URL) return { ...none, proxy: given };
  if (given === false || (dispatcher ?? socketPath) !== undefined) return none;
  const named = proxyVariableFor(new URL(url), env, given === 'env');
  if (named === undefined) return none;
  if (given === undefined && !nodeUsesProxies()) return { ...none, unusedProxy: named.name };
  const shape = v.object({ [named.name]: proxyRule() });
  const checked = checkOptions({ owner, shape }, { [named.name]: withScheme(named.value) });
  return { ...none, proxy: checked[named.name] };
}

/** A variable that names a proxy, and what it holds. */
export interface ProxyVariable {
  readonly name: string;
  readonly value: string;
}

/**
 * Whether Node's own HTTP uses the proxies of the environment: NODE_USE_ENV_PROXY=1 or `--use-env-proxy`, from Node 22.21
 * and 24.5 on, or `http.setGlobalProxyFromEnv()`. Its agent says so.
 */
export function nodeUsesProxies(): boolean {
  // Not every runtime gives its agent options.
  const options: unknown = Reflect.get(http.globalAgent, 'options');
  return isRecord(options) && options.proxyEnv !== undefined;
}

/**
 * The variable whose proxy requests to the service go through; `undefined` without one. HTTPS_PROXY counts for `https:`,
 * HTTP_PROXY for both, then ALL_PROXY, which Node does not read; in small letters first, as curl reads them. An empty one in
 * small letters turns the other off. NO_PROXY excepts hosts.
 */
export function proxyVariableFor(
  service: URL,
  env: Environment,
  readsAll: boolean,
): ProxyVariable | undefined {
  if (isExcepted(service, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const kinds = [...(service.protocol === 'https:' ? ['https'] : []), 'http', ...(readsAll ? ['all'] : [])];
  for (const kind of kinds) {
    const small = `${kind}_proxy`;
    const name = env[small] === undefined ? small.toUpperCase() : small;
    const value = env[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}

/** The variables allow an address without a scheme, which then is `http:`. */
export const withScheme = (address: string) => (address.includes('://') ? address : `http://${address}`);

/**
 * Whether NO_PROXY has the host, a domain around it, or a range of addresses with it (`10.0.0.0/8`,
 * `10.0.0.1-10.0.0.9`), for its port or for any. `*` is every host.
 */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const ownHost = withoutBrackets(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    if (isIP(ownHost) !== 0 && isInRange(ownHost, entry)) return true;
    // More than one colon is an address of IPv6.
    const [, host = entry, excepted] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
    const domain = withoutBrackets(host.replace(/^\*?\./, '').toLowerCase());
    const isHost = ownHost === domain || ownHost.endsWith(`.${domain}`);
    return isHost && (excepted === undefined || excepted === ownPort);
  });
}

const withoutBrackets = (host: string) => host.replace(/^\[(.+)\]$/, '$1');

/** What is no range counts as a name. */
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

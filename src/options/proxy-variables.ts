import { BlockList, isIP } from 'node:net';
import { isRecord, unlessItThrows } from '../base/text/describe.js';
import { isProxyAddress, type CheckedHttp } from './http-options.js';
import type { Environment } from './connection-options.js';

export interface UsedProxy {
  readonly proxy: URL | undefined;
  /** Why no proxy is used although a variable names one; part of failures until something has answered. */
  readonly whyNoProxy: string | undefined;
}

/** Decided once: a token must not go to a proxy that was excluded, nor past one. */
export function proxyOf(
  { url, http }: { readonly url: string; readonly http: CheckedHttp },
  owner: string,
  env: Environment,
): UsedProxy {
  const { proxy: given, dispatcher, socketPath, tls } = http;
  const isDecided = given instanceof URL || given === false || (dispatcher ?? socketPath) !== undefined;
  const { proxy, whyNoProxy } = isDecided
    ? { proxy: given instanceof URL ? given : undefined, whyNoProxy: undefined }
    : proxyOfVariables(new URL(url), given === 'env', owner, env);
  if (proxy !== undefined && typeof tls === 'function')
    throw new TypeError(
      `${owner}: http.tls: expected certificates, because requests go through a proxy, got a function`,
    );
  if (proxy !== undefined && 'Bun' in globalThis)
    throw new TypeError(
      `${owner}: http.proxy: expected no proxy on Bun, which cannot use one; set http.dispatcher instead`,
    );
  return { proxy, whyNoProxy };
}

function proxyOfVariables(service: URL, isAsked: boolean, owner: string, env: Environment): UsedProxy {
  // Curl and Node read the small letters first.
  const spelt = (name: string) => (env[name.toLowerCase()] === undefined ? name : name.toLowerCase());
  const valueOf = (name: string) => env[spelt(name)]?.trim() ?? '';
  const secure = service.protocol === 'https:' ? ['HTTPS_PROXY'] : [];
  const found = [...secure, 'HTTP_PROXY', 'ALL_PROXY'].find((name) => valueOf(name) !== '');
  if (found === undefined) return { proxy: undefined, whyNoProxy: undefined };
  const name = spelt(found);
  const isExcluded = isExcepted(service, valueOf('NO_PROXY'));
  // Node itself does not read ALL_PROXY.
  const isRead = isAsked || (nodeUsesProxies() && found !== 'ALL_PROXY');
  if (!isRead) {
    const words = `${name} is set, but not used: set http.proxy to 'env' if Flipt is behind that proxy`;
    return { proxy: undefined, whyNoProxy: isExcluded ? undefined : words };
  }
  if (isExcluded)
    return { proxy: undefined, whyNoProxy: `${spelt('NO_PROXY')} excludes this host from ${name}` };
  const address = valueOf(found);
  if (!isProxyAddress(address))
    throw new TypeError(
      `${owner}: ${name}: expected an http: or https: address, with its user and password percent-encoded; set NO_PROXY=* for no proxy, or http.proxy to another one`,
    );
  return { proxy: new URL(address), whyNoProxy: undefined };
}

/** From Node 22.21 and 24.5 on: NODE_USE_ENV_PROXY=1, `--use-env-proxy` or `http.setGlobalProxyFromEnv()`. */
function nodeUsesProxies(): boolean {
  const { globalAgent } = process.getBuiltinModule('node:http');
  const options: unknown = Reflect.get(globalAgent, 'options');
  return isRecord(options) && options.proxyEnv !== undefined;
}

/** A host or a domain, with or without a port, a range of addresses, or `*`. */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = plainHost(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    // More than one colon is an IPv6 address, in which the last one begins no port.
    const [, name = entry, excepted = ownPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
    if (excepted !== ownPort) return false;
    if (isIP(host) !== 0) return isInRange(host, plainHost(name));
    const domain = plainHost(name.replace(/^\*?\./, '').toLowerCase());
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/** Also without the dot at the end of a whole name. */
const plainHost = (host: string) => host.replace(/^\[(.+)\]$/, '$1').replace(/\.$/, '');

/** `10.0.0.0/8`, `10.0.0.1-10.0.0.9` or one address. */
function isInRange(address: string, range: string): boolean {
  const [first = '', last] = range.split('-');
  const [network = '', bits] = first.split('/');
  const family = (of: string) => (isIP(of) === 6 ? 'ipv6' : 'ipv4');
  const isIn = unlessItThrows(() => {
    const list = new BlockList();
    if (last !== undefined) list.addRange(first, last, family(first));
    else if (bits !== undefined) list.addSubnet(network, Number(bits), family(network));
    else list.addAddress(first, family(first));
    return list.check(address, family(address));
  });
  return isIn === true;
}

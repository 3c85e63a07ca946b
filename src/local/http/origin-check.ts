import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../base/text/loopback.js';
import { quoted } from '../../base/text/describe.js';
import { forbidden } from '../parsing/refused-request.js';

/**
 * Returns a check that protects the service from web pages of other sites, because such pages can send requests through
 * a visitor's browser. The check refuses a request whose header `Origin` has a host that is neither a loopback name or
 * address, nor in `allowed`, nor the host in the header `Host`. The check also refuses a request if its header `Host`
 * is neither a loopback name or address nor in `allowed`, because another site can point its own name at this machine.
 *
 * If `allowed` contains an unspecified address (`0.0.0.0` or `::`), the check accepts any IP address in the header
 * `Host`. This does not apply to the header `Origin`, because the address of another site can be an IP address, too. In
 * the header `Origin`, the check accepts an IP address only if it is a loopback address, is in `allowed`, or is the host
 * in `Host`.
 */
export function originCheck(allowed: readonly string[]) {
  const names = new Set(allowed.map((name) => hostname(name)));
  const anyAddress = names.has('0.0.0.0') || names.has('::');
  const isOurs = (name: string): boolean => isLoopback(name) || names.has(name);
  return ({ host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>): void => {
    const addressed = host === undefined ? undefined : hostname(host);
    if (addressed !== undefined && !isOurs(addressed) && !(anyAddress && isIP(addressed) !== 0)) {
      const name = quoted(addressed);
      throw forbidden(`the host ${name} is not allowed; add it to allowHosts (--allow-host)`);
    }
    if (origin === undefined) return;
    const page = hostname(origin.replace(/^https?:\/\//i, ''));
    if (!isOurs(page) && page !== addressed) {
      throw forbidden(
        `requests of pages from ${quoted(origin)} are not allowed; add their host to allowHosts (--allow-host)`,
      );
    }
  };
}

/** Returns a host without its port, and without the brackets of an IPv6 address. */
function hostname(host: string): string {
  const bracketed = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  return (isIP(host) === 6 ? host : host.replace(/:\d*$/, '')).toLowerCase();
}

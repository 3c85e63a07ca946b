import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../base/text/loopback.js';
import { quoted } from '../../base/text/describe.js';
import { forbidden } from '../parsing/refused-request.js';

/**
 * Makes a check that protects the service from pages of other sites, which can send requests through a visitor's
 * browser. The check refuses a request whose Origin is another site. It also refuses a request whose Host is neither a
 * name nor a loopback address of this machine, unless the Host is in `allowed`: another site may have pointed its own
 * name at this machine.
 *
 * If `allowed` contains an unspecified address (`0.0.0.0`, `::`), the Host may be any IP address. The Origin must then
 * be the host that the request addresses, because other sites have addresses, too.
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

/** The host without its port and without brackets. */
function hostname(host: string): string {
  const bracketed = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  return (isIP(host) === 6 ? host : host.replace(/:\d*$/, '')).toLowerCase();
}

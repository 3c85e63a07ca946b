import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../base/text/loopback.js';
import { quoted } from '../../base/text/describe.js';
import { forbidden } from '../parsing/refused-request.js';

/**
 * Protects the service from pages of other sites, which may send requests through a visitor's browser. It refuses a
 * request with a foreign Origin, and one whose Host is a name that such a site has pointed at this machine. A Host that
 * is not a name or loopback address of this machine must be in `allowed`.
 *
 * With an unspecified address in `allowed` (`0.0.0.0`, `::`), the Host may be any address. The Origin may not, because
 * another site may have an address, too: it must be the addressed host.
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

/** Without port and brackets. */
function hostname(host: string): string {
  const bracketed = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  return (isIP(host) === 6 ? host : host.replace(/:\d*$/, '')).toLowerCase();
}

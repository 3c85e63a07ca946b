import { isIP } from 'node:net';
import { isLoopback } from '../../text/loopback.js';
import { quoted } from '../../text/quote.js';
import { forbidden } from '../requests/refusal.js';

/** The headers by which a browser names the page that sends a request. */
export interface RequestOrigin {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Refuses what a page of another site may send through a visitor's browser: a request with a foreign Origin, or one
 * whose Host is a name that the site has pointed at this machine. A name that is no address of this machine must be
 * among the allowed ones. Those allow an unspecified address (`0.0.0.0`, `::`): then any address is this machine's.
 */
export function originCheck(allowed: readonly string[]): (request: RequestOrigin) => void {
  const names = new Set(allowed.map((name) => hostname(name)));
  const anyAddress = names.has('0.0.0.0') || names.has('::');
  const isOurs = (name: string): boolean =>
    isLoopback(name) || names.has(name) || (anyAddress && isIP(name) !== 0);
  return ({ host, origin }) => {
    if (host !== undefined && !isOurs(hostname(host))) {
      const name = quoted(hostname(host));
      throw forbidden(`the host ${name} is not allowed; the option allowHosts (--allow-host) allows it`);
    }
    if (origin !== undefined && !isOurs(hostname(origin.replace(/^https?:\/\//i, '')))) {
      throw forbidden(
        `requests of pages from ${quoted(origin)} are not allowed; allowHosts (--allow-host) allows them`,
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

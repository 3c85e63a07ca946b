import { createHash } from 'node:crypto';

/**
 * Refuses requests from other machines and other sites, because this app lets its users stop Flipt and switch flags. A
 * page on the internet can reach `localhost`, too, through the browser of its visitor. So this refuses requests from
 * other pages, and each host name that is not this machine's, because such a page may have pointed its own name at this
 * machine.
 */
export function ownMachineOnly(req, res, next) {
  const { host = '', origin } = req.headers;
  const isOurs = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
  const isOwnPage = origin === undefined || origin === `http://${host}`;
  if (isOurs && isOwnPage) next();
  else res.status(403).type('text').send('Only pages of this app, on this machine.');
}

/**
 * The page may run no inline script, load nothing from other origins, and be shown in no frame. The style that a flag
 * decides is allowed by its hash.
 */
export function protectedPage(res, style) {
  const hash = createHash('sha256').update(style).digest('base64');
  res.set({
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${hash}'; img-src 'self'; ` +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
}

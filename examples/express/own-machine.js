import { createHash } from 'node:crypto';

/**
 * This app can stop its service and switch its flags, so only this machine's own pages may use it. But a page on the
 * internet can reach `localhost`, too, through the browser of its visitor. So this refuses a host name that is not this
 * machine's, because such a page may have pointed its own name at it, and requests from other pages.
 */
export function ownMachineOnly(req, res, next) {
  const { host = '', origin } = req.headers;
  const isOurs = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
  const isOwnPage = origin === undefined || origin === `http://${host}`;
  if (isOurs && isOwnPage) next();
  else res.status(403).type('text').send('Only pages of this app, on this machine.');
}

/** No inline script, nothing from other origins, no frame. The style that a flag decides is allowed by its hash. */
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

/**
 * Whether a page of this app may have sent the request. A page of another origin can make its visitor's browser open
 * streams here, with the visitor's cookies. Over plain `http:`, browsers send neither Sec-Fetch-Site nor, with a GET of
 * the own page, Origin: only the Referer, which a page can leave out, but not forge. Clients that are no browsers send
 * one of the three.
 */
export function isFromOwnPage({ headers, url }: Request): boolean {
  const host = headers.get('host') ?? new URL(url).host;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' && (origin === null || isHost(origin, host));
  const page = origin ?? headers.get('referer');
  return page !== null && isHost(page, host);
}

/** The origin of the page that the answer is for, if the page can open streams of this app. */
export function originOf({ headers, url }: Request): string | undefined {
  const origin = headers.get('origin');
  if (origin === null || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return undefined;
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? new URL(origin).origin : undefined;
  // The page's GET will have no Origin. If its Referer is missing, too, it would be refused.
  const referer = headers.get('referer');
  const host = headers.get('host') ?? new URL(url).host;
  return referer !== null && isHost(referer, host) ? new URL(origin).origin : undefined;
}

function isHost(page: string, host: string): boolean {
  if (!URL.canParse(page)) return false;
  const { protocol, host: from } = new URL(page);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === from;
}

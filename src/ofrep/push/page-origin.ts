/**
 * Whether a page of this app may have sent the request. A page of another origin can make its visitor's browser open
 * streams here, with the visitor's cookies. Over plain `http:`, browsers send neither Sec-Fetch-Site nor, with a GET of
 * the own page, Origin: only the Referer, which a page can leave out, but not forge. Clients that are no browsers send
 * one of the three.
 */
export function isFromOwnPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' && (origin === null || isOwn(origin, request));
  return isOwn(origin ?? request.headers.get('referer'), request);
}

/** The origin of the page that the answer is for, if the page can open streams of this app. */
export function originOf(request: Request): string | undefined {
  const origin = request.headers.get('origin');
  if (origin === null || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return undefined;
  const site = request.headers.get('sec-fetch-site');
  // The page's GET will have no Origin. If its Referer is missing, too, it would be refused.
  const isOpened = site === null ? isOwn(request.headers.get('referer'), request) : site === 'same-origin';
  return isOpened ? new URL(origin).origin : undefined;
}

function isOwn(page: string | null, { headers, url }: Request): boolean {
  if (page === null || !URL.canParse(page)) return false;
  const { protocol, host } = new URL(page);
  const own = `${protocol}//${headers.get('host') ?? new URL(url).host}`;
  return URL.canParse(own) && new URL(own).host === host;
}

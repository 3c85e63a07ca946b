/*
 * A page of another origin could make its visitors' browsers open streams here, with their cookies. A GET to the
 * page's own origin has no Origin and, over plain http: to another machine, no Sec-Fetch-Site; only Referer tells
 * then, which a page can leave out, but not forge.
 */

export function isFromOwnPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' && (origin === null || isOwn(origin, request));
  return isOwn(origin ?? request.headers.get('referer'), request);
}

/** `undefined` if {@link isFromOwnPage} would refuse its GET. */
export function originOf(request: Request): string | undefined {
  const origin = request.headers.get('origin');
  if (origin === null || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return undefined;
  const site = request.headers.get('sec-fetch-site');
  const willBeAccepted =
    site === null ? isOwn(request.headers.get('referer'), request) : site === 'same-origin';
  return willBeAccepted ? new URL(origin).origin : undefined;
}

function isOwn(page: string | null, { headers, url }: Request): boolean {
  if (page === null || !URL.canParse(page)) return false;
  const { protocol, host } = new URL(page);
  const own = `${protocol}//${headers.get('host') ?? new URL(url).host}`;
  return URL.canParse(own) && new URL(own).host === host;
}

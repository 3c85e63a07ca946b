/**
 * Whether a page of this app may have sent the request. A page of another origin can make its visitor's browser open
 * streams here, with the visitor's cookies.
 */
export function isFromOwnPage({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const origin = headers.get('origin');
  return origin === null || isHost(origin, headers.get('host') ?? new URL(url).host);
}

/** The origin of the page that the answer is for, if the page can open streams of this app. */
export function originOf({ headers }: Request): string | undefined {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  if (origin === null || (site !== null && site !== 'same-origin')) return undefined;
  return /^https?:\/\//.test(origin) && URL.canParse(origin) ? new URL(origin).origin : undefined;
}

function isHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === from;
}

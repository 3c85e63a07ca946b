import { readFile } from 'node:fs/promises';
import { notFound, notServed } from '../requests/refused-request.js';
import type { OperationResult, Operation } from '../operations/operation.js';

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/** The files of the page. No other file is ever read. */
const FILES = ['page.html', 'page.css', 'page.js', 'elements.js', 'flag-card.js', 'service.js'] as const;

async function asset(name: (typeof FILES)[number]): Promise<OperationResult> {
  const ending = name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES;
  try {
    const text = await readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8');
    return { text, headers: { ...HEADERS, 'Content-Type': TYPES[ending] } };
  } catch {
    throw notServed(BUNDLED);
  }
}

/**
 * Loads nothing from another origin, and runs no inline script. No other page may show this one in a frame, where it
 * could make the visitor press its buttons.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const BUNDLED =
  'the files of this page are not beside the code, which seems to be bundled: ' +
  'leave openfeature-flipt-provider out of the bundle (external)';

/** GET /, only for browsers. All other clients get a 404: the service's rule. */
export const showPage: Operation = (_, { header }) => {
  if (!/\btext\/html\b/i.test(header('accept') ?? '')) throw notFound('Not Found');
  return asset('page.html');
};

/** GET /local/page/{file} */
export const showFile: Operation = (_, { path }) => {
  const name = FILES.find((file) => file === path.file);
  if (name === undefined) throw notFound('Not Found');
  return asset(name);
};

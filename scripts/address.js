/**
 * Where the public repository is, as package.json says. Until somebody writes it there, the addresses lead nowhere, and
 * the package is not published.
 */

/** Of a repository, for a browser. */
export const ADDRESS = /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/;

/** Whether it leads nowhere. */
export const isPlaceholder = (url) => /^[a-z+]*:\/\/github\.invalid\//.test(url);

/** The address in the manifest, for a browser; `undefined` if it has none. It may be the placeholder. */
export function writtenIn({ repository }) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  const address = String(url)
    .replace(/^git\+/, '')
    .replace(/\.git$/, '')
    .replace(/^github:/, 'https://github.com/');
  return ADDRESS.test(address) ? address : undefined;
}

/** The repository's address for a browser; `undefined` if the manifest has none, or the placeholder. */
export function addressOf(manifest) {
  const address = writtenIn(manifest);
  return address === undefined || isPlaceholder(address) ? undefined : address;
}

/** Where GitHub Pages has the API reference. */
export function referenceOf(address) {
  const [, owner, name] = new URL(address).pathname.split('/');
  return `https://${owner}.${new URL(address).host.replace('github.com', 'github.io')}/${name}/`;
}

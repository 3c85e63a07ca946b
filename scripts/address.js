/**
 * The address of the public repository, as package.json gives it. Until somebody writes it there, it is a placeholder
 * that leads nowhere, and the package cannot be published.
 */

/** The form of a repository's address in a browser. */
export const ADDRESS = /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/;

/** Whether the address is the placeholder. */
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

/** The address at which GitHub Pages shows the API reference. */
export function referenceOf(address) {
  const [, owner, name] = new URL(address).pathname.split('/');
  return `https://${owner}.${new URL(address).host.replace('github.com', 'github.io')}/${name}/`;
}

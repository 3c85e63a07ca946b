/**
 * Where the public repository is. Until somebody says so, package.json has addresses that lead nowhere, and the README
 * hides its badges. `npm run repository -- https://github.com/NAME/REPOSITORY` writes the address into both.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ADDRESS = /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/;
/** What hides the badges. */
const HIDDEN = /<!-- badges\n([^]*?)\n-->/;

/** Whether it leads nowhere. */
export const isPlaceholder = (url) => /^[a-z+]*:\/\/github\.invalid\//.test(url);

/** The address in the manifest, for a browser; `undefined` if it has none. It may be the placeholder. */
function writtenIn({ repository }) {
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
function referenceOf(address) {
  const [, owner, name] = new URL(address).pathname.split('/');
  return `https://${owner}.${new URL(address).host.replace('github.com', 'github.io')}/${name}/`;
}

function setAddress(folder, address) {
  const before = writtenIn(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  if (before === undefined) throw new Error('package.json: repository: expected an address to replace');
  for (const name of ['package.json', 'README.md']) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8')
      .replaceAll(before, address)
      .replaceAll(referenceOf(before), referenceOf(address))
      .replace(HIDDEN, '$1');
    writeFileSync(path, text);
  }
}

if (import.meta.filename === process.argv[1]) {
  const [, , given = '', folder = join(import.meta.dirname, '..')] = process.argv;
  const address = given.replace(/\.git$|\/$/, '');
  if (ADDRESS.test(address)) setAddress(folder, address);
  else {
    console.error(`expected an address such as https://github.com/NAME/REPOSITORY, got ${given || 'none'}`);
    process.exitCode = 1;
  }
}

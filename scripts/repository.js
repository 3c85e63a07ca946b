/**
 * `npm run repository -- https://github.com/NAME/REPOSITORY` writes the address of the public repository into
 * package.json and the README, and shows its badges. A test passes another folder as the second argument.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESS, referenceOf, writtenIn } from './address.js';

/** The comment that hides the badges. */
const HIDDEN = /<!-- badges\n([^]*?)\n-->/;

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

const [, , given = '', folder = join(import.meta.dirname, '..')] = process.argv;
const address = given.replace(/\.git$|\/$/, '');
if (ADDRESS.test(address)) setAddress(folder, address);
else {
  console.error(`expected an address such as https://github.com/NAME/REPOSITORY, got ${given || 'none'}`);
  process.exitCode = 1;
}

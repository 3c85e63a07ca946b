/**
 * Makes the links of the packed pages lead to the repository, at the version that is packed. npm shows the README, but
 * the tarball contains neither the docs nor the pictures. `npm pack` runs this script first, and afterwards with
 * `--undo`. It does nothing while the repository has no address. A test passes another folder as the argument.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from './address.js';

const PAGES = ['README.md', 'CHANGELOG.md'];
/**
 * A link in Markdown or HTML. Group 2 is its target. Targets with a scheme, and targets in the page itself, do not
 * match.
 */
const LINK = /(\]\(|\b(?:href|src|srcset)=")(?![a-z][a-z+.-]*:|[#/])([^)"\s]+)/gi;
const PICTURE = /\.(?:png|svg|gif)$/i;

const placesOf = ({ version, ...manifest }) => {
  const address = addressOf(manifest);
  return address && { pages: `${address}/blob/v${version}/`, pictures: `${address}/raw/v${version}/` };
};

/** Makes the links of a text absolute. */
const absolute = (text, { pages, pictures }) =>
  text.replace(LINK, (_, before, target) => before + (PICTURE.test(target) ? pictures : pages) + target);

/** Makes the links relative again. */
const relative = (text, { pages, pictures }) => text.replaceAll(pages, '').replaceAll(pictures, '');

const isUndo = process.argv.includes('--undo');
const folder = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? '.';
const places = placesOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
for (const page of places ? PAGES : []) {
  const path = join(folder, page);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, isUndo ? relative(text, places) : absolute(text, places));
}

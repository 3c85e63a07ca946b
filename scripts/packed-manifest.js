/**
 * Removes `prepare` from the package.json that is packed. That script builds a clone, and npm warns of it wherever the
 * package is installed. `npm pack` runs this script first, and afterwards with `--undo`. `tarball.js` and a test pass
 * another folder.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PREPARE = '    "prepare": "node scripts/prepare.js",\n';
const NEXT = '    "prepack": ';

const isUndo = process.argv.includes('--undo');
const folder = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? '.';
const path = join(folder, 'package.json');
const packed = readFileSync(path, 'utf8').replace(PREPARE, '');
writeFileSync(path, isUndo ? packed.replace(NEXT, PREPARE + NEXT) : packed);

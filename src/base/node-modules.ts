import type Crypto from 'node:crypto';
import type Zlib from 'node:zlib';

/* Loaded when first used, because most processes need them late or never. */

let crypto: typeof Crypto | undefined;
let zlib: typeof Zlib | undefined;

export const nodeModules = {
  get crypto() {
    return (crypto ??= process.getBuiltinModule('node:crypto'));
  },
  get zlib() {
    return (zlib ??= process.getBuiltinModule('node:zlib'));
  },
};

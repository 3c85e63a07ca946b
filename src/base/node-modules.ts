import type Crypto from 'node:crypto';
import type Zlib from 'node:zlib';

/*
 * Most processes need these modules of Node late or never. Each of these modules is loaded when it is first used,
 * because loading it together with the package would make each start slower. All supported runtimes have these modules,
 * so that loading a module late cannot fail.
 */

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

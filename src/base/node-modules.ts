/*
 * Node's modules that most processes need late or never. They are loaded when they are first used, because loading all
 * of them with the package would make each start slower. `process.getBuiltinModule` cannot fail for these names, so
 * loading late needs no error handling.
 */

export const nodeModules = {
  get crypto() {
    return process.getBuiltinModule('node:crypto');
  },
  get zlib() {
    return process.getBuiltinModule('node:zlib');
  },
};

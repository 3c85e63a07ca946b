/*
 * This file loads Node's modules for HTTP and TLS when they are first used. If an ES module imports `node:http`, Node
 * reads all exports of `node:http`. From Node 22 on, reading the export `WebSocket` loads undici, which takes about
 * 30 ms (https://github.com/nodejs/node/issues/57649). `process.getBuiltinModule` reads no exports. A process loads
 * TLS only if Flipt's address or the proxy's address begins with `https:`.
 */

/** Read a function from its module for each call, because mocks and tracers replace the functions in the modules. */
export const networkModules = {
  get http() {
    return process.getBuiltinModule('node:http');
  },
  get https() {
    return process.getBuiltinModule('node:https');
  },
  get tls() {
    return process.getBuiltinModule('node:tls');
  },
};

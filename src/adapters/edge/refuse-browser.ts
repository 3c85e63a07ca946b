/*
 * Bundlers for browsers load this file instead of the package, because of the condition `browser` in package.json.
 * Without this file, the build would fail at the first Node module that browsers lack, and the message would not name
 * the package that needs this module. Bundlers for Workers match `browser`, too, so package.json lists `workerd` before
 * it.
 */
declare const module: { exports: unknown };

// The file assigns `module.exports`, so that bundlers cannot know its exports. If bundlers knew the exports, they would
// stop at a missing export, and nobody would see the message below.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in a browser: use it on the server, and there serve flags to browsers with ' +
      'openfeature-flipt-provider/ofrep and @openfeature/ofrep-web-provider. ' +
      "If a test of a server fails with this, Jest runs it with jsdom: set testEnvironment: 'node'",
  );
}

/*
 * Bundlers for browsers load this file instead of the package, because of the export condition `browser` in
 * package.json. Without this file, the build would fail at the first Node module that browsers lack, and the error
 * message would not name openfeature-flipt-provider. Bundlers for Cloudflare Workers also match the export condition
 * `browser`, so package.json lists the condition `workerd` before `browser`.
 */
declare const module: { exports: unknown };

// A bundler that knows which names a file exports stops with an error of its own if an app imports another name, and
// then nobody sees the message of `refuse`. Bundlers cannot know the names here, because the value is computed.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in a browser: use it on the server, and there serve flags to browsers with ' +
      'openfeature-flipt-provider/ofrep and @openfeature/ofrep-web-provider. ' +
      "If a test of a server fails with this, Jest runs it with jsdom: set testEnvironment: 'node'",
  );
}

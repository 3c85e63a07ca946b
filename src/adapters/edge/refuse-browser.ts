/*
 * What a bundle for browsers gets instead of this package, by the condition `browser`. Otherwise the first module of Node
 * that is missing there would be named, and not who needs it. Workers match that condition, too: package.json names
 * `workerd` before it.
 */
declare const module: { exports: unknown };

// Assigned, so that no bundler knows the exports: it would complain of a missing export instead.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in a browser: use it on the server, and there serve flags to browsers with ' +
      'openfeature-flipt-provider/ofrep and @openfeature/ofrep-web-provider. ' +
      "If a test of a server fails with this, Jest runs it with jsdom: set testEnvironment: 'node'",
  );
}

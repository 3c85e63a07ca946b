/*
 * What Next.js loads instead of this package in its Edge runtime, by the condition `edge-light`. Otherwise it would name
 * the first module of Node that is missing there, and not who needs it.
 */
declare const module: { exports: unknown };

// Assigned, so that no bundler knows the exports: it would complain of a missing export instead.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in the Edge runtime of Next.js: ' +
      "remove `runtime = 'edge'`, so that the file runs on Node.js (a middleware.js becomes a proxy.js)",
  );
}

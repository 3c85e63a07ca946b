/*
 * The Edge runtime of Next.js loads this file instead of the package, because of the condition `edge-light` in
 * package.json. Without this file, the build would fail at the first Node module that the Edge runtime lacks, and the
 * message would not name the package that needs this module.
 */
declare const module: { exports: unknown };

// The file assigns `module.exports`, so that bundlers cannot know its exports. If bundlers knew the exports, they would
// stop at a missing export, and nobody would see the message below.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in the Edge runtime of Next.js: ' +
      "remove `runtime = 'edge'`, so that the file runs on Node.js (a middleware.js becomes a proxy.js)",
  );
}

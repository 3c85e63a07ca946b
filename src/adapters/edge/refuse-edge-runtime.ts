/*
 * The Edge runtime of Next.js loads this file instead of the package, because of the export condition `edge-light` in
 * package.json. Without this file, the build would fail at the first Node module that the Edge runtime lacks, and the
 * error message would not name openfeature-flipt-provider.
 */
declare const module: { exports: unknown };

// The file assigns a computed value to `module.exports`, so that bundlers cannot tell which names it exports. A bundler
// that knew the names of the exports would stop with its own error about a missing export, and nobody would see the
// message of `refuse`.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in the Edge runtime of Next.js: ' +
      "remove `runtime = 'edge'`, so that the file runs on Node.js (a middleware.js becomes a proxy.js)",
  );
}

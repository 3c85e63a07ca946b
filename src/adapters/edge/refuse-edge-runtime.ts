/*
 * The Edge runtime of Next.js loads this file instead of the package, because of the export condition `edge-light` in
 * package.json. Without this file, the build would fail at the first Node module that the Edge runtime lacks, and the
 * error message would not name openfeature-flipt-provider.
 */
declare const module: { exports: unknown };

// A bundler that knows which names a file exports stops with an error of its own if an app imports another name, and
// then nobody sees the message of `refuse`. Bundlers cannot know the names here, because the value is computed.
module.exports = refuse();

function refuse(): never {
  throw new Error(
    'openfeature-flipt-provider does not run in the Edge runtime of Next.js: ' +
      "remove `runtime = 'edge'`, so that the file runs on Node.js (a middleware.js becomes a proxy.js)",
  );
}

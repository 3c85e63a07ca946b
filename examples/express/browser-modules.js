import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
/** The browser's SDK may need another version of the core than the server's SDK. */
const core = createRequire(resolve('@openfeature/web-sdk')).resolve('@openfeature/core');

/** OpenFeature's packages for browsers, as they are published. In a real app, a bundler puts them into the page. */
const FILES = {
  core: join(core, '../../esm/index.js'),
  'web-sdk': join(resolve('@openfeature/web-sdk'), '../../esm/index.js'),
  'ofrep-core': join(resolve('@openfeature/ofrep-core'), '../index.esm.js'),
  'ofrep-web-provider': join(resolve('@openfeature/ofrep-web-provider'), '../index.esm.js'),
};

/** Serves `GET /modules/web-sdk.js` and so on. A browser finds modules by their address and not by their name. */
export function browserModules(req, res, next) {
  const { name } = req.params;
  if (!Object.hasOwn(FILES, name)) {
    next();
    return;
  }
  const code = readFileSync(FILES[name], 'utf8')
    .replace(/\bfrom\s*(['"])@openfeature\/([\w-]+)\1/g, "from '/modules/$2.js'")
    .replace(/^\/\/# sourceMappingURL=.*$/m, '');
  res.type('js').send(code);
}

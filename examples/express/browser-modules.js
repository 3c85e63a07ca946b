import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
/** The core that the browser's SDK needs may be another version than the server's. */
const core = createRequire(resolve('@openfeature/web-sdk')).resolve('@openfeature/core');

/** OpenFeature's packages for browsers, as they are published. A bundler would put them into the page. */
const FILES = {
  core: join(core, '../../esm/index.js'),
  'web-sdk': join(resolve('@openfeature/web-sdk'), '../../esm/index.js'),
  'ofrep-core': join(resolve('@openfeature/ofrep-core'), '../index.esm.js'),
  'ofrep-web-provider': join(resolve('@openfeature/ofrep-web-provider'), '../index.esm.js'),
};

/** `GET /modules/web-sdk.js` and so on, because a browser finds modules by address and not by name. */
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

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** OpenFeature's packages for browsers, as they are published. A bundler would put them into the page. */
const FILES = {
  core: 'core/dist/esm/index.js',
  'web-sdk': 'web-sdk/dist/esm/index.js',
  'ofrep-core': 'ofrep-core/index.esm.js',
  'ofrep-web-provider': 'ofrep-web-provider/index.esm.js',
};

/** `GET /modules/web-sdk.js` and so on, because a browser finds modules by address and not by name. */
export function browserModules(req, res, next) {
  const { name } = req.params;
  if (!Object.hasOwn(FILES, name)) {
    next();
    return;
  }
  const path = fileURLToPath(new URL(`../../node_modules/@openfeature/${FILES[name]}`, import.meta.url));
  const code = readFileSync(path, 'utf8')
    .replace(/\bfrom\s*(['"])@openfeature\/([\w-]+)\1/g, "from '/modules/$2.js'")
    .replace(/^\/\/# sourceMappingURL=.*$/m, '');
  res.type('js').send(code);
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file that a measured process imports: this build, or an older one that is measured beside it. */
export const built = process.env.BUILD
  ? pathToFileURL(join(process.env.BUILD, 'dist/index.js')).href
  : 'openfeature-flipt-provider';

/* Run in a consumer: prints each module that an import loads, and who asked for it, as lines of JSON. */
import { register } from 'node:module';

/** Runs on the thread of the hooks, so it knows nothing of what stands around it. */
const hooks = `
  import { writeSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    writeSync(1, JSON.stringify({ url: resolved.url, by: context.parentURL ?? '' }) + '\\n');
    return resolved;
  }`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
await import(process.argv[2]);

import { unwatchFile, watchFile } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { messageOf } from '../base/text/describe.js';
import { isLoopback } from '../options/address.js';
import type { Semantics } from '../engine/features.js';
import { FeaturesError, findingText, type Finding } from '../features/problem.js';
import { versionOf } from '../features/flipt-refuses.js';
import { lint } from '../features/lint/lint.js';
import { readText } from '../features/read-features.js';
import { openLocalService } from '../local/service.js';
import { DataFileError } from '../local/store.js';
import { variable } from '../options/settings.js';
import { CommandError, type CommandRuntime } from './runtime.js';

export interface ServeOptions {
  readonly features?: string;
  readonly port: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly semantics: Semantics;
  readonly strict?: boolean;
  readonly data?: string;
  readonly bootstrapToken?: string;
}

const LOOK_EACH_MS = 250;

/** Runs the embedded service until the user interrupts it. */
export async function serve(options: ServeOptions, runtime: CommandRuntime): Promise<number> {
  const { features, data, host, port, semantics, strict = false, allowHost: allowHosts = [] } = options;
  const { print, complain, env } = runtime;
  if (features === undefined && data === undefined) {
    throw new CommandError('expected a features file as --features, or a file of changes as --data');
  }
  const interrupted = runtime.interrupted();
  const bootstrapToken = options.bootstrapToken ?? variable(env, 'FLIPT_BOOTSTRAP_TOKEN');
  const isKept = data !== undefined && ((await stat(data).catch(() => undefined))?.size ?? 0) > 0;
  const opening = openLocalService(
    {
      ...{ host, port, semantics, strict, allowHosts },
      ...(features !== undefined && { features: pathToFileURL(features) }),
      ...(data !== undefined && { data }),
      ...(bootstrapToken !== undefined && { bootstrapToken }),
    },
    // The linter below says more.
    () => undefined,
  );
  const warn = warnerOfMistakes(semantics, complain);
  const reload = async (path: string): Promise<void> => {
    const service = await opening.catch(() => undefined);
    if (service === undefined) return;
    if (data !== undefined) {
      complain(`The edited ${path} is ignored, because the features come from ${data}`);
      return;
    }
    try {
      await service.load(pathToFileURL(path));
      print(`Reloaded ${path}`);
      await warn(path);
    } catch (error) {
      complain(`${messageOf(error)}\nThe service keeps the old features`);
    }
  };
  // Before the service has read the file, so that no edit is missed.
  const stopWatching = features === undefined ? undefined : onEdit(features, reload);
  try {
    const service = await opening;
    print(`Serving ${data ?? features ?? ''} at ${service.url} (Flipt ${semantics} semantics)`);
    print('Open the address in a browser to see and switch the flags. Ctrl-C ends it.');
    if (!isLoopback(host) && bootstrapToken === undefined) {
      complain(
        `Warning: ${host} may be reached from other machines, and no token is required; --bootstrap-token changes that`,
      );
    }
    if (features !== undefined && !isKept) await warn(features);
    await interrupted;
    await stopWatching?.();
    await service.close();
    return 0;
  } catch (error) {
    await stopWatching?.();
    const why = whyNot(error, options);
    if (why === undefined) throw error;
    throw new CommandError(why, { cause: error });
  }
}

function whyNot(error: unknown, { host, port }: ServeOptions): string | undefined {
  if (error instanceof FeaturesError || error instanceof DataFileError || error instanceof TypeError)
    return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === undefined) return undefined;
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use already; choose another with --port`;
  return `cannot listen on port ${port} of ${host}: ${messageOf(error)}`;
}

/** Unlike notifications of the file system, its looks depend neither on how an editor saves nor on the kind of disk. */
function onEdit(path: string, reload: (path: string) => Promise<void>): () => Promise<void> {
  let reloading: Promise<void> = Promise.resolve();
  watchFile(path, { interval: LOOK_EACH_MS }, (now, before) => {
    const isEdited = now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino;
    if (isEdited) reloading = reloading.then(() => reload(path));
  });
  return () => {
    unwatchFile(path);
    return reloading;
  };
}

/** Stays as it is when something is added above. */
function sameText({ namespace, rule, path, problem }: Finding): string {
  return [namespace, rule, path.replace(/\d+/g, ''), problem].join(' ');
}

/** Complains of probable mistakes in a file that were not in it when it was looked at before. */
function warnerOfMistakes(semantics: Semantics, complain: CommandRuntime['complain']) {
  let before: ReadonlySet<string> = new Set();
  return async (path: string): Promise<void> => {
    const all = lint(await readText(path), { version: versionOf(semantics) });
    const findings = all.filter(({ level }) => level !== 'info');
    for (const finding of findings) {
      if (!before.has(sameText(finding))) complain(`Warning: ${findingText(finding)}`);
    }
    before = new Set(findings.map(sameText));
  };
}

export function portOf(text: string): number {
  const port = Number(text);
  if (/^[0-9]{1,5}$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError('Expected a number from 0 to 65535.');
}

export const SERVE_HELP = `
Operations
  GET  /            in a browser: a page of the flags, with a switch for each
  GET  /health
  POST /evaluate/v1/batch, /evaluate/v1/boolean, /evaluate/v1/variant
  GET  /internal/v1/evaluation/snapshot/namespace/{namespaceKey}
For tests, and not in Flipt itself: make a flag resolve to a value, for all entities or for one
  PUT, DELETE /local/v1/namespaces/{namespaceKey}/flags/{flagKey}     {"value": …, "for": …}
With v1:
  POST /auth/v1/method/token                GET /auth/v1/tokens/{id}
  GET, POST /api/v1/namespaces/{namespaceKey}/segments
  GET, PUT  /api/v1/namespaces/{namespaceKey}/segments/{key}
  GET, POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules
  PUT       /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/variants/{id}
With v2:
  GET  /client/v2/environments/{environment}/namespaces/{namespaceKey}/snapshot
  GET  /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream

Hosts that --host and --allow-host do not name, and pages of other origins, get a 403. With --data, edits of the
features file have no effect, and only one process may use the file. SIGINT or SIGTERM ends serve after the
requests in flight.

Example
  openfeature-flipt-provider serve --features features.yml --port 8080`;

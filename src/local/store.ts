import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { removeLeftovers, replaceFile, targetOf, unlessMissing } from '../base/file.js';
import { isRecord, messageOf, unsteered } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import type { FlagRecord, Identified, NamespaceRecord } from '../features/normalize.js';
import { Refusal } from './request.js';

/** What changes while the service runs, except overrides. Each change makes a new state. */
export interface State {
  readonly namespaces: ReadonlyMap<string, NamespaceRecord>;
  readonly tokens: ReadonlyMap<string, TokenRecord>;
}

export interface TokenRecord extends Identified {
  /** SHA-256 in hexadecimal, by which the token is found. The token itself is stored nowhere. */
  readonly hash: string;
  readonly namespaceKey?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export const nowText = () => new Date().toISOString();

export function newDates() {
  const now = nowText();
  return { createdAt: now, updatedAt: now };
}

export const newIdentity = () => ({ id: randomUUID(), ...newDates() });

export function withNamespace(state: State, namespace: NamespaceRecord): State {
  return { ...state, namespaces: new Map(state.namespaces).set(namespace.key, namespace) };
}

export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord): State {
  return withNamespace(state, { ...namespace, flags: new Map(namespace.flags).set(flag.key, flag) });
}

type Change<Result> = (state: State) => { readonly state: State; readonly result: Result };

/** One change after the other, visible and answered once it is safe on disk. */
export class Store {
  private last: Promise<unknown> = Promise.resolve();
  private readonly listeners = new Set<() => void>();

  constructor(
    private current: State,
    private readonly file: string | undefined,
  ) {}

  get state(): State {
    return this.current;
  }

  change<Result>(change: Change<Result>): Promise<Result> {
    const made = this.last.then(async () => {
      const { state, result } = change(this.current);
      if (this.file !== undefined) await save(this.file, state);
      this.current = state;
      this.announce();
      return result;
    });
    this.last = made.catch(() => undefined);
    return made;
  }

  async settled(): Promise<void> {
    await this.last;
  }

  /** Also for overrides. */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  announce(): void {
    for (const changed of this.listeners) changed();
  }
}

/** The data file cannot be used, and was not changed. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';
  /** Check this code instead of `instanceof`, which fails between the ES module and the CommonJS build. */
  readonly code = 'ERR_DATA_FILE';

  constructor(message: string, options?: ErrorOptions) {
    super(unsteered(message), options);
  }
}

const FORMAT = 'openfeature-flipt-provider data';
const VERSION = 1;

/** `undefined` if the file is missing or empty. */
export async function stateIn(file: string): Promise<State | undefined> {
  const text = await textIn(file).catch((error: unknown) => {
    throw new DataFileError(`${file}: cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (text === undefined || text === '') return undefined;
  const content = parsedJson(text, (_, value) =>
    isRecord(value) && Array.isArray(value.map) ? new Map(value.map) : value,
  );
  if (isState(content)) return content;
  const isOther = isRecord(content) && content.format === FORMAT && content.version !== VERSION;
  const wrong = isOther
    ? `it has version ${String(content.version)} of the format, this service reads version ${VERSION}`
    : 'it is damaged, or no data file of this service';
  throw new DataFileError(`${file}: ${wrong}, and is not overwritten; move it away, or name another file`);
}

async function textIn(file: string): Promise<string | undefined> {
  await removeLeftovers(await targetOf(file));
  return readFile(file, 'utf8').catch(unlessMissing);
}

/** Enough of a check: this service has written the file in one step. */
function isState(content: unknown): content is State {
  if (!isRecord(content) || content.format !== FORMAT || content.version !== VERSION) return false;
  return content.namespaces instanceof Map && content.tokens instanceof Map;
}

export async function save(file: string, { namespaces, tokens }: State): Promise<void> {
  const content = { format: FORMAT, version: VERSION, namespaces, tokens };
  const text = JSON.stringify(content, (_, value: unknown) =>
    value instanceof Map ? { map: [...value] } : value,
  );
  try {
    await replaceFile(await targetOf(file), `${text}\n`);
  } catch (error) {
    const why = `the change was not made, because it could not be saved: ${messageOf(error)}`;
    throw new Refusal(500, why, { cause: error });
  }
}

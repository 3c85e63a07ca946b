import { readdirSync, readFileSync } from 'node:fs';
import type { Features, Semantics } from '../../src/engine/features.js';
import { systemClock } from '../../src/base/time/clock.js';
import type { BusyClock } from '../../src/base/time/turns.js';
import { cutBody } from '../../src/snapshot/body.js';
import * as flags from '../../src/snapshot/flags.js';
import { snapshotOf, type Snapshot } from '../../src/snapshot/snapshot.js';

const FOLDER = new URL('../recordings/snapshot/', import.meta.url);

export interface RecordedBody {
  readonly file: string;
  readonly semantics: Semantics;
  readonly namespace: string;
}

/** The recorded snapshots. Their files are called `NAME.VERSION.NAMESPACE.json`. */
export const BODIES: readonly RecordedBody[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => {
    const [, semantics, namespace] = /\.(v1|v2|v2\.8)\.(\w+)\.json$/.exec(file) as unknown as [
      string,
      Semantics,
      string,
    ];
    return { file, semantics, namespace };
  });

export function recordedBody(file: string): Buffer {
  return readFileSync(new URL(file, FOLDER));
}

/** A snapshot as JSON that a test edits. */
export interface BodyJson {
  namespace?: unknown;
  flags: FlagJson[];
  digest?: string;
  /** Only a snapshot that this package has written says its semantics. */
  semantics?: Semantics;
}
export interface FlagJson {
  key: string;
  rules: RuleJson[];
  [member: string]: unknown;
}
export interface RuleJson {
  id: string;
  segments: unknown[];
  distributions: unknown[];
  [member: string]: unknown;
}

export function recordedJson(file: string): BodyJson {
  return JSON.parse(recordedBody(file).toString()) as BodyJson;
}

/** Returns the snapshot as `getSnapshot` gives it: it says by whose rules it is evaluated. */
export function statedJson(
  { name, semantics }: { readonly name: string; readonly semantics: Semantics },
  namespace: string,
): BodyJson {
  return { ...recordedJson(`${name}.${semantics}.${namespace}.json`), semantics };
}

/** A snapshot, of which all flags have been read. */
export interface ReadBody extends Snapshot {
  readonly features: Required<Features>;
}

export function readWhole(snapshot: Snapshot): ReadBody {
  return { ...snapshot, features: snapshot.flags.whole() };
}

export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: BusyClock = systemClock,
): Promise<Snapshot> {
  return snapshotOf(await cutBody(body, clock), namespace, undefined, clock);
}

/** The keys of the flags that differ. */
export function changedKeys(
  before: Pick<Snapshot, 'flags'>,
  after: Pick<Snapshot, 'flags'>,
): Promise<readonly string[]> {
  return flags.changedKeys(before.flags, after.flags, systemClock);
}

export function parsedJson(json: unknown, namespace = 'default'): Promise<ReadBody> {
  return parsedText(JSON.stringify(json), namespace);
}

export async function parsedText(text: string, namespace = 'default'): Promise<ReadBody> {
  return readWhole(await parseSnapshot(Buffer.from(text), namespace));
}

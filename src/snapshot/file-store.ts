import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  bytesIfThere,
  removeLeftovers,
  replaceableBeginning,
  replaceFile,
  targetOf,
  unlessMissing,
} from '../base/file.js';
import { unsteered } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import type { TextStore } from './save.js';
import { isSnapshotText, otherPlaceIn } from './text.js';
import { MOST_SNAPSHOT_BYTES } from './wire.js';

// A younger temporary file may be that of another process.
const LEFTOVER_AFTER_MS = 60_000;

/** A save would fail, too, but perhaps much later. */
async function checkFolder(target: string): Promise<void> {
  const folder = dirname(target);
  if ((await fs.stat(folder).catch(unlessMissing)) === undefined)
    throw new Error(`its folder ${unsteered(folder)} does not exist`);
}

/** A file is replaced only while it is a snapshot of this place; its age is that of its last change. */
export function fileStore(path: string, place: SnapshotPlace, clock: Clock): TextStore {
  let loaded = '';
  const checkOwner = async (target: string) => {
    const beginning = await replaceableBeginning(target, isSnapshotText);
    const other = beginning === loaded ? undefined : otherPlaceIn(beginning, place);
    if (other !== undefined) throw new Error(`another process uses the file: ${other}`);
  };
  return {
    name: `snapshot.file ${unsteered(path)}`,
    async load() {
      const target = await targetOf(path);
      await removeLeftovers(target, LEFTOVER_AFTER_MS).catch(() => undefined);
      loaded = await replaceableBeginning(target, isSnapshotText);
      if (loaded === '') {
        await checkFolder(target);
        return { text: undefined };
      }
      const text = await bytesIfThere(target, MOST_SNAPSHOT_BYTES);
      const { mtimeMs } = await fs.stat(target);
      return { text, confirmedAt: clock.now() - Math.max(0, clock.date() - mtimeMs) };
    },
    async save(text) {
      const target = await targetOf(path);
      await checkOwner(target);
      await replaceFile(target, text, { check: () => checkOwner(target) });
    },
    async touch() {
      const now = new Date(clock.date());
      await fs.utimes(await targetOf(path), now, now);
    },
  };
}

import type { Features, Semantics } from '../../engine/features.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import type { CountedSteps } from '../../time/pausable-steps.js';
import type { Contents } from '../flag-content.js';
import type { TextDigests } from './flag-text.js';

/** What has been read of a body's flags until now. It grows as flags are read; what is there never changes. */
export interface ReadFlags {
  /** The rules of the Flipt that wrote the body apply. */
  readonly semantics: Semantics;
  readonly features: Features;
  readonly contents: Contents;
  /** Of the flags that could be read. */
  readonly texts: TextDigests;
  /** The keys of all flags, also of those that have not been read, in the order of the body. */
  readonly keys: () => FlagKeys;
  /** Reads this flag, if that has not been done. */
  readonly read: (key: string) => void;
  /** The flag, if it cannot be read. */
  readonly unreadable: (key: string) => UnreadableFlag | undefined;
  /** Reads the flags that are left. */
  readonly readRest: () => CountedSteps;
  /** Bytes of this flag that have not been read. */
  readonly unreadBytes: (key: string) => number;
  /** The body, until all flags have been read. */
  readonly unreadBody: () => Buffer | undefined;
}

/** What a set and a map of keys have in common. */
export type FlagKeys = Pick<ReadonlyMap<string, unknown>, 'has' | 'size' | 'keys'>;

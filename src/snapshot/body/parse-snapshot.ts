import type { Semantics } from '../../engine/features.js';
import { withPauses } from '../../time/pausable-steps.js';
import { NEWEST_V2 } from '../../engine/rules-of-version.js';
import { quoted } from '../../text/describe.js';
import type { Clock } from '../../time/clock.js';
import { nextTurn, pausing } from '../../time/turns.js';
import { restSchema } from './body-schema.js';
import { BYTES_PER_MS, flagReader } from './flag-reader.js';
import type { ReadFlags } from './flags-of-body.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';
import { splitBody } from './split-body.js';

/** The content of a body: everything from which the flags of a namespace are evaluated, and what cannot be read. */
export interface ParsedBody extends ReadFlags {
  /** Only v2 has one. */
  readonly digest: string | undefined;
}

export interface HowToRead {
  /** The rules of evaluation, if the body does not name them and a Flipt v2 wrote it. Default: the newest. */
  readonly ofV2?: (() => Exclude<Semantics, 'v1'>) | undefined;
  /** A flag with the same text in this snapshot is not read again. */
  readonly previous?: ReadFlags | undefined;
  /** Whether a flag is read when it is first needed. Default: all are read. */
  readonly isLazy?: boolean | undefined;
}

/**
 * Reads a snapshot of `namespace`, some flags in each turn of the event loop. Rejects with {@link InvalidBody} if the body
 * is no snapshot, or if none of several flags can be read.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: Pick<Clock, 'endOfTurn'>,
  { ofV2 = () => NEWEST_V2, previous, isLazy = false }: HowToRead = {},
): Promise<ParsedBody> {
  const { bounds, rest } = await withPauses(splitBody(body), () => nextTurn(clock));
  const { digest, namespace: named, semantics: stated } = checked(parsed(rest, 'the body'), restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const reader = flagReader(body, bounds.length / 2, stated ?? (digest === '' ? 'v1' : ofV2()), previous);
  const pause = pausing(BYTES_PER_MS, clock);
  for (let at = 0; at < bounds.length; at += 2) {
    const [start = 0, end = 0] = bounds.slice(at, at + 2);
    const adding = withPauses(reader.add({ start, end, position: at / 2 }, !isLazy), pause);
    if (adding !== undefined) await adding;
  }
  await withPauses(reader.findReadable(), pause);
  if (!isLazy) await withPauses(reader.readRest(), pause);
  return { ...reader, digest: digest || undefined };
}

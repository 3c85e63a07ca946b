import { nextTurn, withPauses, type BusyClock } from '../../base/time/pausable-steps.js';
import { NEWEST_V2, WITHOUT_DIGEST, type V2Semantics } from '../../engine/version-differences.js';
import { quoted } from '../../base/text/describe.js';
import { restSchema } from './body-schema.js';
import { cutBody } from './cut-body.js';
import { FlagsOfBody } from './flags-of-body.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';
import { checkText } from './text-limits.js';

/** The parsed body of a snapshot, from which the flags of a namespace can be evaluated. */
export interface ParsedBody {
  readonly flags: FlagsOfBody;
  /** The digest that Flipt v2 sends, or `undefined` in a snapshot of Flipt v1, which sends no digest. */
  readonly digest: string | undefined;
}

/**
 * Reads a snapshot of `namespace`, in several turns of the event loop. `ofV2` returns the evaluation rules for a body
 * of Flipt v2 that does not name its rules. By default, `ofV2` returns the newest rules. Rejects with {@link
 * InvalidBody} if the body is no snapshot or is one of another namespace, or if it has several flags of which none can
 * be read.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: BusyClock,
  ofV2: () => V2Semantics = () => NEWEST_V2,
): Promise<ParsedBody> {
  const cut = await withPauses(cutBody(body), () => nextTurn(clock));
  const rest = parsed(checkText(Buffer.from(cut.rest), 'what is beside the flags'), 'the body');
  const { digest, namespace: named, semantics } = checked(rest, restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const flags = FlagsOfBody.of(body, cut, semantics ?? (digest === '' ? WITHOUT_DIGEST : ofV2()));
  await checkReadable(flags, clock);
  return { flags, digest: digest || undefined };
}

/**
 * Throws {@link InvalidBody} if the body has several flags and none of them can be read. A body whose only flag cannot
 * be read may still be a valid snapshot.
 */
async function checkReadable(flags: FlagsOfBody, clock: BusyClock): Promise<void> {
  let first: string | undefined;
  await flags.each(clock, (key, flag) => {
    if (flag === undefined || !('reason' in flag)) return false;
    first ??= `${quoted(key)}: ${flag.reason}`;
    return true;
  });
  const { size } = flags.keys();
  if (size > 1 && flags.foundUnreadable.size === size)
    throw new InvalidBody(`none of ${size} flags can be read; ${first ?? ''}`);
}

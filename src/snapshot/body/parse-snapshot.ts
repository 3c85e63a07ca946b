import { nextTurn, withPauses, type BusyClock } from '../../base/time/pausable-steps.js';
import { NEWEST_V2, WITHOUT_DIGEST, type V2Semantics } from '../../engine/version-differences.js';
import { quoted } from '../../base/text/describe.js';
import { restSchema } from './body-schema.js';
import { cutBody } from './cut-body.js';
import { FlagsOfBody } from './flags-of-body.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';

/** The content of a body: everything from which the flags of a namespace are evaluated. */
export interface ParsedBody {
  readonly flags: FlagsOfBody;
  /** Only v2 has one. */
  readonly digest: string | undefined;
}

/**
 * Reads a snapshot of `namespace`, in several turns of the event loop. `ofV2`: the rules of evaluation, if the body does
 * not name them and a Flipt v2 wrote it; default: the newest. Rejects with {@link InvalidBody} if the body is no
 * snapshot, or if none of several flags can be read.
 */
export async function parseSnapshot(
  body: Buffer,
  namespace: string,
  clock: BusyClock,
  ofV2: () => V2Semantics = () => NEWEST_V2,
): Promise<ParsedBody> {
  const cut = await withPauses(cutBody(body), () => nextTurn(clock));
  const { digest, namespace: named, semantics } = checked(parsed(cut.rest, 'the body'), restSchema, '');
  if (named && named.key !== namespace) {
    throw new InvalidBody(`namespace.key: expected ${quoted(namespace)}, got ${quoted(named.key)}`);
  }
  const flags = FlagsOfBody.of(body, cut, semantics ?? (digest === '' ? WITHOUT_DIGEST : ofV2()));
  await checkReadable(flags, clock);
  return { flags, digest: digest || undefined };
}

/** Of a single flag that cannot be read, that says nothing about the body. */
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

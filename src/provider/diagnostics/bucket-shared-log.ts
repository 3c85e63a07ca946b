import { quoted } from '../../base/text/describe.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';

/**
 * Attributes with these names often have the value that the app should pass as the targetingKey. The likeliest name
 * comes first.
 */
const LIKELY = ['userId', 'user_id', 'id', 'user', 'email'];

/**
 * Logs one warning if a flag depends on a percentage but the context has no targetingKey, so that all users without a
 * targetingKey are treated as one user. After the warning, `logBucketShared` stops listening to events.
 */
export function logBucketShared({ listen }: Pick<Diagnostics, 'listen'>, logger: Log<'warn'>): void {
  const end = listen('bucket-shared', ({ flag, attributes }) => {
    end();
    const likely = LIKELY.filter((name) => attributes.includes(name)).map(quoted);
    const advice =
      likely.length === 0 ? '' : `; the context has ${likely.join(', ')}: should that be the targetingKey?`;
    logger.warn(
      `flag ${quoted(flag)} depends on a percentage, but the context has no targetingKey, ` +
        `so all such calls get the same value${advice}`,
    );
  });
}

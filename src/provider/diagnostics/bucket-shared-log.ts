import { quoted } from '../../base/text/describe.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';

/** Names of attributes that often hold the value that should be the targetingKey. The likeliest one comes first. */
const LIKELY = ['userId', 'user_id', 'id', 'user', 'email'];

/** Warns once that users share a bucket because they have no targetingKey, and then stops listening. */
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

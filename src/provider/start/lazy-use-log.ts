import type { Diagnostics } from '../../diagnostics/diagnostics.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../runtime.js';
import { messageOf } from '../../text/describe.js';
import { loadAfterStart } from './load-after-start.js';

/** The log of how the provider is used. `closing` is aborted when the provider is closed. */
export function lazyUseLog(settings: ProviderSettings, closing: AbortSignal, runtime: Runtime & Diagnostics) {
  let overloadSince = (): number | undefined => undefined;
  let beginning: Promise<void> | undefined;
  const begin = async () => {
    try {
      const { logUse } = await loadAfterStart("The log of the provider's use");
      if (!closing.aborted) overloadSince = logUse(settings, runtime);
    } catch (error) {
      settings.logger.error(messageOf(error));
    }
  };
  return {
    /** Loads its code, and that of everything else that the first answer does not need. Never rejects. */
    begin: () => (beginning ??= begin()),
    /** Since when questions are shed, in milliseconds since the epoch; `undefined` while none are. */
    overloadSince: () => overloadSince(),
  };
}

import type { ProviderSettings } from '../../options/settings.js';
import { messageOf } from '../../text/describe.js';
import type { Snapshots } from '../snapshots.js';
import type { Explain } from './explaining.js';

/** Loads the code on first use: most apps never ask for an explanation. */
export function lazyExplain(snapshots: Snapshots | undefined, settings: ProviderSettings): Explain {
  return async (flag, context) => {
    try {
      const { explaining } = await import('./explaining.js');
      return await explaining(snapshots, settings)(flag, context);
    } catch (error) {
      // Node's error has a code of its own, which the SDK must not take for one of OpenFeature's.
      return { kind: 'defect', message: `explain: its code cannot be loaded: ${messageOf(error)}` };
    }
  };
}

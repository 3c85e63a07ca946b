import type { FliptProviderOptions } from '../../src/options.js';
import { providerSettings } from '../../src/settings.js';

export const settled = (options: unknown, env: Record<string, string> = {}) =>
  providerSettings(options as FliptProviderOptions, env);

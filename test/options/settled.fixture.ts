import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { providerSettings } from '../../src/options/settings.js';

export const settled = (options: unknown, env: Record<string, string> = {}) =>
  providerSettings(options as FliptProviderOptions, env);

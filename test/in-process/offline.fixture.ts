import type { FliptProviderOptions } from '../../src/index.js';
import { open } from '../provider/open.fixture.js';
import { FEATURES } from './features.fixture.js';

/** Opens a provider that evaluates from its own features and sends nothing. */
export const offline = (options: FliptProviderOptions = {}) =>
  open({ evaluation: 'in-process', watch: false, snapshot: { initial: FEATURES }, ...options });

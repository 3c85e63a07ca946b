import type { Semantics } from '../../engine/features.js';
import { notFound } from '../requests/refused-request.js';

/** Refuses every environment except the default one. Only in v2: v1 has no environments and ignores their names. */
export function checkEnvironment(semantics: Semantics, name = ''): void {
  if (semantics === 'v1' || name === '' || name === 'default') return;
  const quoted = JSON.stringify(name);
  throw notFound(`failed to get environment ${quoted} from context: environment: ${quoted} not found`);
}

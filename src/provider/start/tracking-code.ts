/* What a provider with the option `tracking` loads when it starts. */

export { openTracking } from '../../tracking/tracking.js';

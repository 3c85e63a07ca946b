import type { Origin } from '../../src/stores/kept-text.js';

/** Where the snapshots of these tests come from. */
export const ORIGIN: Origin = { url: 'http://flipt:8080', namespace: 'default', environment: undefined };

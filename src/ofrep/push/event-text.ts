import { serverSentEvent } from '../../text/server-sent-event.js';

const encoder = new TextEncoder();

/** Nothing about flags or users: the browser fetches its own flags then. */
export const refetch = (id: string) => serverSentEvent(id, '{"type":"refetchEvaluation"}');

/** How long the browser waits before it connects again. */
export const retry = (ms: number) => `retry: ${Math.round(ms)}\n\n`;

/** A comment, which browsers ignore. */
export const HEARTBEAT = encoder.encode(':\n\n');

export const encoded = (text: string) => encoder.encode(text);

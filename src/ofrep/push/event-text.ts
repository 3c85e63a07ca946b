/* What is written to an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

const encoder = new TextEncoder();

/** Nothing about flags or users: the browser fetches its own flags then. */
export const refetch = (id: string) => `id: ${id}\ndata: {"type":"refetchEvaluation"}\n\n`;

/** How long the browser waits before it connects again. */
export const retry = (ms: number) => `retry: ${Math.round(ms)}\n\n`;

/** A comment, which browsers ignore. */
export const HEARTBEAT = encoder.encode(':\n\n');

export const encoded = (text: string) => encoder.encode(text);

/** The type of server-sent events. */
export const SERVER_EVENTS = 'text/event-stream';

/** An event as it is sent. */
export function serverEvent(id: string, data: string): string {
  return `id: ${id}\ndata: ${data}\n\n`;
}

/* https://html.spec.whatwg.org/multipage/server-sent-events.html */

export const EVENT_STREAM = 'text/event-stream';

export function serverSentEvent(id: string, data: string): string {
  return `id: ${id}\ndata: ${data}\n\n`;
}

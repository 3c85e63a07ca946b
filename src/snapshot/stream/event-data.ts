/** Most characters of one event, with its ends of lines; a real one has about 80. */
const LONGEST_EVENT = 64 * 1024;

/** Yields the data of each server-sent event as soon as it is complete. Throws for an event that never ends. */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') data.push(...dataOf(line));
      else if (data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
    // Each line counts one more, because lines without text take memory, too.
    const length = data.reduce((sum, line) => sum + line.length + 1, rest.length);
    if (length > LONGEST_EVENT) throw new Error(`an event of more than ${LONGEST_EVENT} characters`);
  }
}

function dataOf(line: string): readonly string[] {
  const field = /^data: ?/.exec(line);
  return field ? [line.slice(field[0].length)] : [];
}

import { pid, platform } from 'node:process';

let addresses = 0;

/**
 * A loopback address on which nobody else listens, in this process or another. A port that was closed there stays free,
 * for a server that starts again or for connections that must be refused. On 127.0.0.1, the system might give it to
 * another test meanwhile. Systems other than Linux have only that address.
 */
export function ownAddress(): string {
  if (platform !== 'linux') return '127.0.0.1';
  addresses = (addresses % 254) + 1;
  return ['127', 1 + ((pid >> 8) & 63), pid & 255, addresses].join('.');
}

/** Where the server of this url listens, for another one that takes its place. */
export function placeOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

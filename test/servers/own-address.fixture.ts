import { pid, platform } from 'node:process';

let addresses = 0;

/**
 * Returns a loopback address on which nobody else listens, in this process or another. A port that was closed there
 * stays free, for a server that starts again or for connections that must be refused. On 127.0.0.1, the system might
 * give that port to another test in the meantime. Systems other than Linux have only that address.
 */
export function ownAddress(): string {
  if (platform !== 'linux') return '127.0.0.1';
  addresses = (addresses % 254) + 1;
  return ['127', 1 + ((pid >> 8) & 63), pid & 255, addresses].join('.');
}

/** Returns where the server of this url listens, for another one that takes its place. */
export function placeOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

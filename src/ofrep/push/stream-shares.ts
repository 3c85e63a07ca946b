import type { PushSettings } from '../ofrep-options.js';

/** Who opens a stream. */
export interface StreamReader {
  /** The `targetingKey`; `''` for a visitor without one. */
  readonly user: string;
  /** The address of the request; `undefined` if it is not known. */
  readonly address?: string | undefined;
}

type Limits = Pick<PushSettings, 'maxStreams' | 'maxStreamsPerUser' | 'maxStreamsPerAddress'>;

/** Strangers have a tenth of all streams, so that they leave room for users, whoever they are. */
const STRANGERS = 10;

/** What a stream counts towards, each with the most streams that it may have. */
function sharesOf({ user, address }: StreamReader, limits: Limits): ReadonlyMap<string, number> {
  const { maxStreams, maxStreamsPerUser, maxStreamsPerAddress } = limits;
  const network = address === undefined ? undefined : networkOf(address);
  const shares = new Map<string, number>();
  if (network !== undefined) shares.set(`address ${network}`, maxStreamsPerAddress);
  if (user !== '') return shares.set(`user ${user}`, maxStreamsPerUser);
  if (network === undefined) return shares.set('strangers without an address', maxStreamsPerUser);
  // No machine alone can use up what all strangers share.
  shares.set(`stranger ${network}`, maxStreamsPerUser);
  return shares.set('strangers', Math.ceil(maxStreams / STRANGERS));
}

/** One machine may have as many IPv6 addresses as it likes, all in a network of 64 bits. */
function networkOf(address: string): string {
  const version4 = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (version4 !== undefined || !address.includes(':')) return version4 ?? address;
  const [front = '', back] = address.toLowerCase().split('%', 1).join('').split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const first = groups(front);
  const last = groups(back ?? '');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}

/** Counts the open streams of each user and address. */
export function streamShares(limits: Limits) {
  const counts = new Map<string, number>();
  return {
    /** Counts one more, and returns what takes it off again; `undefined`: a limit is reached. */
    take(reader: StreamReader): (() => void) | undefined {
      const shares = sharesOf(reader, limits);
      for (const [name, most] of shares) if ((counts.get(name) ?? 0) >= most) return undefined;
      for (const name of shares.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
      return () => {
        for (const name of shares.keys()) {
          const others = (counts.get(name) ?? 1) - 1;
          if (others === 0) counts.delete(name);
          else counts.set(name, others);
        }
      };
    },
  };
}

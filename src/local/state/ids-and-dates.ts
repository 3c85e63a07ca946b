/** What differs between two runs. It is an argument, so that tests can fix it. */
export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly date: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
}

export type Dated = Readonly<ReturnType<typeof newDates>>;

/** Its id is a UUID. */
export type Identified = Readonly<ReturnType<typeof newIdentity>>;

/** The date as the service writes it: RFC 3339, UTC. */
export function nowText({ date }: Pick<Stamp, 'date'>): string {
  return new Date(date()).toISOString();
}

/** The dates of something new. */
export function newDates(stamp: Stamp) {
  const now = nowText(stamp);
  return { createdAt: now, updatedAt: now };
}

/** The id and the dates of something new. */
export function newIdentity(stamp: Stamp) {
  return { id: stamp.id(), ...newDates(stamp) };
}

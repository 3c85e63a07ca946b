import type { Stamp } from '../state/records.js';

export function newDates(stamp: Stamp): { createdAt: string; updatedAt: string } {
  const now = new Date(stamp.date()).toISOString();
  return { createdAt: now, updatedAt: now };
}

export function newIdentity(stamp: Stamp): { id: string; createdAt: string; updatedAt: string } {
  return { id: stamp.id(), ...newDates(stamp) };
}

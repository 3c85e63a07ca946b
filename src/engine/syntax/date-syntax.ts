const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
// Like Go's time.Parse, this pattern accepts an hour of one digit, and a comma before the fraction.
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses a date-time (RFC 3339, with a time zone) or a date in the same way as Flipt. A date without a time stands for
 * midnight UTC. Returns nanoseconds since the epoch, or `undefined` if the text is neither a date-time nor a date.
 */
export function parseDateTime(text: string): bigint | undefined {
  const date = DATE.exec(text);
  if (date) return instant(midnight(date), 0, '');
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [, , , , hour, minute, second, fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour) > 24 || Number(zoneMinute) > 60) return undefined;
  const zone = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 3600 + Number(zoneMinute) * 60);
  const time = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return instant(midnight(parts), time - zone, fraction);
}

/**
 * Returns the beginning of a day (UTC) in milliseconds since the epoch, or `undefined` for a day that does not exist,
 * such as 30 February.
 */
function midnight([, year, month, day]: RegExpExecArray): number | undefined {
  const date = new Date(0);
  // Date.UTC would take the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
    ? date.getTime()
    : undefined;
}

function instant(dayMs: number | undefined, seconds: number, fraction: string): bigint | undefined {
  if (dayMs === undefined) return undefined;
  const nanoseconds = fraction.slice(0, 9).padEnd(9, '0');
  return BigInt(dayMs / 1000 + seconds) * 1_000_000_000n + BigInt(nanoseconds);
}

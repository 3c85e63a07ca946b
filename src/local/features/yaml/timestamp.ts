/** A date as Go's YAML reader makes one of text without quotes. */
export class Timestamp {
  /** RFC 3339 with a zone, as Go writes it in JSON; `undefined` if the zone is one that JSON cannot have. */
  readonly json: string | undefined;

  constructor(json: string | undefined) {
    this.json = json;
  }
}

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(.*)$/s;
const TIME = /^[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(?:Z|([-+])(\d\d):(\d\d))$/;
const TIME_WITHOUT_ZONE = /^ (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?$/;

/** `2024-01-01`, `2024-1-1T2:3:4.5+01:00` or `2024-1-1 2:3:4`; `undefined` for anything else. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const [, year = '', month = '', day = '', rest = ''] = DATE.exec(text) ?? [];
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;
  const time = rest === '' ? ['', '0', '0', '0'] : (TIME.exec(rest) ?? TIME_WITHOUT_ZONE.exec(rest));
  if (!time) return undefined;
  const [
    ,
    hours = '',
    minutes = '',
    seconds = '',
    fraction = '',
    sign = '',
    zoneHours = '0',
    zoneMinutes = '0',
  ] = time;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  if (Number(zoneHours) > 24 || Number(zoneMinutes) > 60) return undefined;

  const clock = [hours, minutes, seconds].map(twoDigits).join(':');
  const exact = fraction.slice(0, 9).replace(/0{1,9}$/, '');
  const offset = Number(zoneHours) * 60 + Number(zoneMinutes);
  const zone = offset === 0 ? 'Z' : `${sign}${twoDigits(Math.floor(offset / 60))}:${twoDigits(offset % 60)}`;
  const date = `${year}-${twoDigits(month)}-${twoDigits(day)}T${clock}${exact && `.${exact}`}${zone}`;
  return new Timestamp(offset < 24 * 60 ? date : undefined);
}

function isDay(year: number, month: number, day: number): boolean {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

function twoDigits(number: string | number): string {
  return String(number).padStart(2, '0');
}

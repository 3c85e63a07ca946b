import { parseDateTime } from '../../engine/syntax/date-syntax.js';

/** A date as Go's YAML reader makes one of text without quotes. */
export class Timestamp {
  /** `json` is RFC 3339 with a zone, as Go writes it in JSON; `undefined` if the zone is one that JSON cannot have. */
  constructor(readonly json: string | undefined) {}
}

const DATE = /^([-\d]+)$/;
const DATE_TIME = /^([-\d]+) ([:\d]+)(?:[.,](\d+))?$/;
const WITH_ZONE = /^([-\d]+)[Tt]([:\d]+)(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)$/;

/** `2024-01-01`, `2024-1-1T2:3:4.5+01:00` or `2024-1-1 2:3:4`; `undefined` for anything else. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = WITH_ZONE.exec(text) ?? DATE_TIME.exec(text) ?? DATE.exec(text);
  const [, day = '', time = '0:0:0', fraction = '', zone = 'Z'] = parts ?? [];
  const date = `${twoDigits(day)}T${twoDigits(time)}`;
  if (parseDateTime(date + zone) === undefined) return undefined;
  const exact = fraction.slice(0, 9).replace(/0{1,9}$/, '');
  const [, sign = '', hours = '0', minutes = '0'] = /^([-+])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  const shift = twoDigits(`${Math.floor(offset / 60)}:${offset % 60}`);
  const json = `${date}${exact && `.${exact}`}${offset === 0 ? 'Z' : sign + shift}`;
  return new Timestamp(offset < 24 * 60 ? json : undefined);
}

/** The text with a zero before each number of one digit. */
function twoDigits(text: string): string {
  return text.replace(/\b\d\b/g, '0$&');
}

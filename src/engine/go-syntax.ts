import { parsedJson } from '../base/text/json.js';

/*
 * The counterparts of Go's `strconv.ParseFloat`, `strconv.ParseBool`, `time.Parse`, `json.Unmarshal` and
 * `strings.TrimSpace`: each accepts exactly what Go accepts, and gives `undefined` for the rest.
 */

export const TRUE_WORDS: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
export const FALSE_WORDS: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

export function parseBoolean(text: string): boolean | undefined {
  if (TRUE_WORDS.includes(text)) return true;
  return FALSE_WORDS.includes(text) ? false : undefined;
}

/** As in Go, `null` in the array is `''`, and `null` in place of the array an empty list. */
export function parseStrings(json: string): readonly string[] | undefined {
  return parseList(json, '', (member) => typeof member === 'string');
}

export function parseNumbers(json: string): readonly number[] | undefined {
  return parseList(json, 0, (member): member is number => Number.isFinite(member));
}

function parseList<T>(json: string, ofNull: T, isMember: (member: unknown) => member is T) {
  const list = parsedJson(json);
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const members = list.map((member: unknown) => member ?? ofNull);
  return members.every(isMember) ? members : undefined;
}

const DIGITS = '[0-9]+(?:_[0-9]+)*';
const DECIMAL = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`);
const HEX_DIGITS = '[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*';
const HEX = new RegExp(
  `^([+-]?)0[xX](?:_?(${HEX_DIGITS})(?:\\.(${HEX_DIGITS})?)?|\\.(${HEX_DIGITS}))[pP]([+-]?${DIGITS})$`,
);
const INFINITY = /^([+-]?)inf(?:inity)?$/i;
const NAN = /^nan$/i;

/** Also `.5`, `5.`, `+7`, `1_000`, `0x1p4`, `inf` and `NaN`, but nothing too large for a double. */
export function parseNumber(text: string): number | undefined {
  if (DECIMAL.test(text)) return finite(Number(withoutUnderscores(text)));
  const infinity = INFINITY.exec(text);
  if (infinity) return infinity[1] === '-' ? -Infinity : Infinity;
  if (NAN.test(text)) return NaN;
  return parseHex(text);
}

// More digits only round. Below 2^-1200 the number is 0, above 2^1100 it is too large for a double.
const HEX_PRECISION = 20;
const SMALLEST_EXPONENT = -1200;
const LARGEST_EXPONENT = 1100;

function parseHex(text: string): number | undefined {
  const parts = HEX.exec(text);
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = parts[4] ?? '', , exponent = ''] = parts;
  const digits = withoutUnderscores(whole + fraction).replace(/^0+/, '');
  const rest = digits.slice(HEX_PRECISION);
  const kept = digits.slice(0, HEX_PRECISION) + (/[^0]/.test(rest) ? '1' : '0');
  const power = Number(withoutUnderscores(exponent)) - 4 * withoutUnderscores(fraction).length;
  const size = scaled(BigInt(`0x${kept}`), power + 4 * (digits.length - kept.length));
  return finite(sign === '-' ? -size : size);
}

function withoutUnderscores(digits: string): string {
  return digits.replaceAll('_', '');
}

/** Computed exactly and rounded once. */
function scaled(mantissa: bigint, power: number): number {
  if (mantissa === 0n || power < SMALLEST_EXPONENT) return 0;
  if (power > LARGEST_EXPONENT) return Infinity;
  if (power >= 0) return Number(mantissa << BigInt(power));
  return Number(`${mantissa * 5n ** BigInt(-power)}e${power}`);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
// Go accepts an hour of one digit, and a comma before the fraction.
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** Nanoseconds since the epoch; a date alone is midnight UTC. */
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

/** `undefined` for a day that does not exist. */
function midnight([, year, month, day]: RegExpExecArray): number | undefined {
  const date = new Date(0);
  // Date.UTC would take the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return exists ? date.getTime() : undefined;
}

function instant(dayMs: number | undefined, seconds: number, fraction: string): bigint | undefined {
  if (dayMs === undefined) return undefined;
  const nanoseconds = fraction.slice(0, 9).padEnd(9, '0');
  return BigInt(dayMs / 1000 + seconds) * 1_000_000_000n + BigInt(nanoseconds);
}

export function trimSpace(text: string): string {
  const start = endOfSpace(text);
  let end = text.length;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

export function isBlank(text: string): boolean {
  return endOfSpace(text) === text.length;
}

function endOfSpace(text: string): number {
  let end = 0;
  while (end < text.length && isSpace(text.charCodeAt(end))) end++;
  return end;
}

// Unlike String.prototype.trim, Go trims U+0085 but not U+FEFF.
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (code >= 0x2000 && code <= 0x200a) || SPARSE.has(code);
}

const SPARSE: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);

const DIGITS = '[0-9]+(?:_[0-9]+)*';
const DECIMAL = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`);
const HEX_DIGITS = '[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*';
const HEX = new RegExp(
  `^([+-]?)0[xX](?:_?(${HEX_DIGITS})(?:\\.(${HEX_DIGITS})?)?|\\.(${HEX_DIGITS}))[pP]([+-]?${DIGITS})$`,
);
const INFINITY = /^([+-]?)inf(?:inity)?$/i;
const NAN = /^nan$/i;

/**
 * Parses a number in the same way as Flipt, in the syntax of Go's `strconv.ParseFloat`: `1e3`, `.5`, `5.`, `+7`,
 * `1_000`, `0x1p4`, `inf`, `NaN`. Returns `undefined` if the text is not a number, or is too large for a double.
 */
export function parseNumber(text: string): number | undefined {
  if (DECIMAL.test(text)) return finite(Number(withoutUnderscores(text)));
  const infinity = INFINITY.exec(text);
  if (infinity) return infinity[1] === '-' ? -Infinity : Infinity;
  if (NAN.test(text)) return NaN;
  return parseHex(text);
}

// Only the first 20 hexadecimal digits of a number can change its value, apart from rounding. If the power of 2 is
// below `SMALLEST_EXPONENT`, the number is 0; if the power is above `LARGEST_EXPONENT`, the number is too large for a
// double.
const HEX_PRECISION = 20;
const SMALLEST_EXPONENT = -1200;
const LARGEST_EXPONENT = 1100;

function parseHex(text: string): number | undefined {
  const parts = HEX.exec(text);
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = parts[4] ?? '', , exponent = ''] = parts;
  const digits = withoutUnderscores(whole + fraction).replace(/^0+/, '');
  const rest = digits.slice(HEX_PRECISION);
  // A digit `0` or `1` replaces all digits after the first 20, because the rounding depends only on whether those
  // digits are all 0.
  const kept = digits.slice(0, HEX_PRECISION) + (/[^0]/.test(rest) ? '1' : '0');
  const power = Number(withoutUnderscores(exponent)) - 4 * withoutUnderscores(fraction).length;
  const size = scaled(BigInt(`0x${kept}`), power + 4 * (digits.length - kept.length));
  return finite(sign === '-' ? -size : size);
}

function withoutUnderscores(digits: string): string {
  return digits.replaceAll('_', '');
}

/**
 * Returns mantissa × 2^power. The function first computes the exact value, and then lets `Number` round it, so that the
 * result is rounded only once.
 */
function scaled(mantissa: bigint, power: number): number {
  if (mantissa === 0n || power < SMALLEST_EXPONENT) return 0;
  if (power > LARGEST_EXPONENT) return Infinity;
  if (power >= 0) return Number(mantissa << BigInt(power));
  return Number(`${mantissa * 5n ** BigInt(-power)}e${power}`);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

// White space as Go's strings.TrimSpace sees it: unlike String.prototype.trim, it includes U+0085 but not U+FEFF.
const SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Trims as the service does. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text.charAt(start))) start++;
  while (end > start && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Whether trimming leaves nothing. */
export function isBlank(text: string): boolean {
  return trimSpace(text) === '';
}

/** Trims as the service does. */
export function trimSpace(text: string): string {
  const start = endOfSpace(text);
  let end = text.length;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Whether trimming leaves nothing. */
export function isBlank(text: string): boolean {
  return endOfSpace(text) === text.length;
}

function endOfSpace(text: string): number {
  let end = 0;
  while (end < text.length && isSpace(text.charCodeAt(end))) end++;
  return end;
}

// White space as Go's strings.TrimSpace sees it: unlike String.prototype.trim, it includes U+0085 but not U+FEFF.
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  if (code >= 0x2000 && code <= 0x200a) return true;
  return SPARSE.has(code);
}

const SPARSE: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);

/** What may stand in an HTTP header: a line break in a value would begin a header of its own. */
const VALUE = /^[\t -~\u0080-\u00ff]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function isHeaderText(value: string): boolean {
  return VALUE.test(value);
}

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

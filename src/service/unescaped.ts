/** A character as JSON, C and URLs write it; as HTML does, by its number or by its name; one after a backslash. */
const ESCAPE =
  /(?:\\u00|\\x|%)([\da-f]{2})|&#x0{0,6}([\da-f]{2});?|&#0{0,6}(\d{2,3});?|&([a-z]{2,6});|\\([^a-z\d])/gi;

/** The names of what may stand in a credential. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['ast', '*'],
  ['bsol', '\\'],
  ['colon', ':'],
  ['comma', ','],
  ['commat', '@'],
  ['dollar', '$'],
  ['equals', '='],
  ['excl', '!'],
  ['grave', '`'],
  ['gt', '>'],
  ['hat', '^'],
  ['lcub', '{'],
  ['lowbar', '_'],
  ['lpar', '('],
  ['lsqb', '['],
  ['lt', '<'],
  ['num', '#'],
  ['percnt', '%'],
  ['period', '.'],
  ['plus', '+'],
  ['quest', '?'],
  ['quot', '"'],
  ['rcub', '}'],
  ['rpar', ')'],
  ['rsqb', ']'],
  ['semi', ';'],
  ['sol', '/'],
  ['verbar', '|'],
]);

/** Text with each escape replaced by what it stands for: once, so that an escaped escape is one afterwards. */
export function unescaped(text: string): string {
  return text.replace(
    ESCAPE,
    (escape: string, hex?: string, hexEntity?: string, decimal?: string, name?: string, itself?: string) => {
      const code = hex ?? hexEntity;
      if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
      if (decimal !== undefined) return String.fromCharCode(Number(decimal));
      return itself ?? NAMED.get(name?.toLowerCase() ?? '') ?? escape;
    },
  );
}

import { describe, expect, it } from 'vitest';
import { grpcCode } from '../../src/client/errors.js';
import { quotesOf, tableOf, textOf } from './pages.fixture.js';

/** The public types; another test keeps them the same as those of the package. */
const API = textOf('etc/api.md');

/** The members of an interface, without inherited ones, and the first line of what each is. */
function memberTypes(name: string): Readonly<Record<string, string>> {
  const [, body = ''] = new RegExp(`^interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(API) ?? [];
  const members = [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??[:(](.*)/gm)];
  if (members.length === 0) throw new Error(`etc/api.md has no interface ${name}`);
  return Object.fromEntries(members.map(([, member = '', type = '']) => [member, type]));
}

/** The names of its members. */
const membersOf = (name: string): readonly string[] => Object.keys(memberTypes(name)).sort();

/** The first text that a cell quotes: the name of its row. */
const nameOf = ([cell = '']: readonly string[]) => quotesOf(cell)[0] ?? '';

describe("the client's table of codes", () => {
  const rows = tableOf('docs/client.md', 'code', 'when');
  const statusesOf = (row: readonly string[]) => (row[1] ?? '').match(/\b[345]\d\d\b/g)?.map(Number) ?? [];
  /** For a 404, only the body shows that the route is missing. */
  const bodyDecides = ({ code, status }: { code: string; status: number }) =>
    code === 'UNIMPLEMENTED' && status === 404;
  const said = rows
    .flatMap((row) => statusesOf(row).map((status) => ({ code: nameOf(row), status })))
    .filter((one) => !bodyDecides(one));

  it('says of each status the code that it stands for', () => {
    expect(said).toEqual(said.map(({ status }) => ({ code: grpcCode(undefined, status), status })));
  });

  it('leaves out no status that has a code of its own', () => {
    const statuses = Array.from({ length: 300 }, (_, at) => 300 + at);
    const known = statuses.filter((status) => grpcCode(undefined, status) !== 'UNKNOWN');
    expect(said.map(({ status }) => status).sort()).toEqual(known);
  });

  it('and the text below name every code', () => {
    const declared = /type GrpcCode =([^;]+);/.exec(API)?.[1] ?? '';
    const codes = [...declared.matchAll(/'(\w+)'/g)].map(([, code]) => code).sort();
    const others = quotesOf(/one of gRPC's other codes \(.*\)/.exec(textOf('docs/client.md'))?.[0] ?? '');
    expect([...rows.map(nameOf), ...others].sort()).toEqual(codes);
  });
});

describe('a table of options', () => {
  it.each([
    { page: 'docs/frameworks.md', head: ['Option of `flags`'], of: ['FlagsOptions'] },
    { page: 'docs/browser.md', head: ['Option of `ofrep`'], of: ['OfrepOptions'] },
    { page: 'docs/browser.md', head: ['Member of `push`'], of: ['PushOptions'] },
    { page: 'docs/frameworks.md', head: ['Option of `forRoot`'], of: ['FliptModuleOptions'] },
    { page: 'docs/local.md', head: ['Option', '`serve`', 'Default'], of: ['LocalServiceOptions'] },
    { page: 'docs/local.md', head: ['Member', 'Meaning'], of: ['LocalService'] },
  ])('of $page has all of $of, and no others', ({ page, head, of }) => {
    const rows = tableOf(page, ...head).map((row) => nameOf(row).replace(/\(.*/, ''));
    expect(rows.sort()).toEqual(of.flatMap(membersOf).sort());
  });
});

describe('the table of getStatus() in docs/operating.md', () => {
  /** The paths of all fields that hold a value, as `circuit.state`. */
  const fieldsOf = (name: string, path = ''): readonly string[] =>
    Object.entries(memberTypes(name)).flatMap(([member, type]) => {
      const [inner] = /\b\w+Status\b/.exec(type) ?? [];
      return inner === undefined ? [path + member] : fieldsOf(inner, `${path}${member}.`);
    });

  it('has every field of the status, and no others', () => {
    const rows = tableOf('docs/operating.md', 'Field of `getStatus()`').flatMap(([cell = '']) =>
      quotesOf(cell),
    );
    const fields = fieldsOf('FliptStatus');
    expect(fields).toContain('watch.unreadable.count');
    expect(rows.toSorted()).toEqual(fields.toSorted());
  });
});

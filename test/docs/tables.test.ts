import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grpcCode } from '../../src/service/grpc-codes.js';
import { quotesOf, ROOT, tableOf } from './pages.js';

/** The first thing that a cell quotes: the name that its row is about. */
const named = ([cell = '']: readonly string[]) => quotesOf(cell)[0] ?? '';

describe("the client's table of codes", () => {
  const rows = tableOf('docs/client.md', 'code', 'when');
  const statusesOf = (row: readonly string[]) => (row[1] ?? '').match(/\b[345]\d\d\b/g)?.map(Number) ?? [];
  /** A 404 about the route is told from one about a thing by its body, not by its status. */
  const bodyTells = ({ code, status }: { code: string; status: number }) =>
    code === 'UNIMPLEMENTED' && status === 404;
  const said = rows
    .flatMap((row) => statusesOf(row).map((status) => ({ code: named(row), status })))
    .filter((one) => !bodyTells(one));

  it('says of each status the code that it stands for', () => {
    expect(said).toEqual(said.map(({ status }) => ({ code: grpcCode(undefined, status), status })));
  });

  it('leaves out no status that has a code of its own', () => {
    const statuses = Array.from({ length: 300 }, (_, at) => 300 + at);
    const known = statuses.filter((status) => grpcCode(undefined, status) !== 'UNKNOWN');
    expect(said.map(({ status }) => status).sort()).toEqual(known);
  });

  it('and the text below name every code', () => {
    const declared =
      /type GrpcCode =([^;]+);/.exec(readFileSync(join(ROOT, 'etc/api.md'), 'utf8'))?.[1] ?? '';
    const codes = [...declared.matchAll(/'(\w+)'/g)].map(([, code]) => code).sort();
    const text = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');
    const others = quotesOf(/others of gRPC's may come \(.*\)/.exec(text)?.[0] ?? '');
    expect([...rows.map(named), ...others].sort()).toEqual(codes);
  });
});

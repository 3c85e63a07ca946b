import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { MemberPlan, MemberReport } from './member.fixture.js';

/**
 * The program is one file of plain JavaScript with all its imports, because a process starts with it in a third of the
 * time.
 */
const PROGRAM = join(tmpdir(), `flipt-fleet-${process.pid}.cjs`);

/** Makes the file that the processes run. Returns a function that removes it. */
export async function memberProgram(): Promise<() => Promise<void>> {
  await build({
    entryPoints: [join(import.meta.dirname, 'member.fixture.ts')],
    outfile: PROGRAM,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  return () => rm(PROGRAM);
}

/** A process of the fleet. */
export interface Member {
  readonly process: ChildProcess;
  /** Each state that the process has had, in order. */
  readonly states: readonly number[];
  /** Returns how many of its resolves have failed since this was last asked. */
  readonly failures: () => Promise<number>;
  readonly kill: () => Promise<void>;
}

export function started(plan: MemberPlan): Member {
  const child = fork(PROGRAM, [JSON.stringify(plan)], { execArgv: [], stdio: 'inherit' });
  const states: number[] = [];
  const reports: ((failures: number) => void)[] = [];
  child.on('message', (report: MemberReport) => {
    if ('state' in report) states.push(report.state);
    else reports.shift()?.(report.failures);
  });
  return {
    process: child,
    states,
    failures: () =>
      new Promise((resolve) => {
        reports.push(resolve);
        child.send('failures?');
      }),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

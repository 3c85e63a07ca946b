/**
 * Measures whether the provider keeps answering under load. Each run has a provider with default options in a process
 * of its own, and a scripted service in another one. It prints the share of answered questions, second by second.
 *
 *   node bench/pressure/main.js                               all runs, about three minutes
 *   node bench/pressure/main.js spike burst                those whose names contain a word
 *   node bench/pressure/main.js --url http://localhost:8080   those that need no scripted trouble, against a real Flipt
 *   node bench/pressure/main.js --build ../old/dist/index.js  with another build of the provider
 */
import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.js';

const options = { url: { type: 'string' }, build: { type: 'string' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const build = values.build ? pathToFileURL(resolve(values.build)).href : 'openfeature-flipt-provider';
const chosen = scenarios.filter(
  ({ name, real }) =>
    (values.url === undefined || real) &&
    (positionals.length === 0 || positionals.some((word) => name.includes(word))),
);

for (const { name, service, processes = 1, ...load } of chosen) {
  const server = values.url === undefined ? started('service.js', service) : undefined;
  const url = values.url ?? (await firstMessage(server)).url;
  const seconds = load.phases.reduce((sum, phase) => sum + phase.seconds, 0);
  console.log(`\n${values.url === undefined ? name : `${name} (against ${url}, whatever its latency)`}`);
  const loads = Array.from({ length: processes }, () => started('load.js', { ...load, build, url, seconds }));
  const results = await Promise.all(loads.map(firstMessage));
  results.forEach(print);
  if (server !== undefined) {
    server.send('how many?');
    const { requests } = await firstMessage(server);
    const batches = results.reduce((sum, result) => sum + result.batches, 0);
    console.log(`  requests to the service: ${requests}, for ${batches} batches`);
  }
  server?.disconnect();
}

function started(script, argument) {
  return fork(fileURLToPath(new URL(script, import.meta.url)), [JSON.stringify(argument)]);
}

function firstMessage(child) {
  return new Promise((arrived, reject) => {
    child.once('message', arrived);
    child.once('exit', (code) => reject(new Error(`a process of the run ended early, with ${code}`)));
  });
}

function print({ outcomes, events, log }) {
  for (const [kind, { asked, ok, errors }] of Object.entries(outcomes)) {
    const shares = asked.flatMap((count, second) => (count ? [percent(ok[second], count)] : []));
    const sum = (counts) => counts.reduce((total, count) => total + (count ?? 0), 0);
    console.log(
      `  ${kind}: ${percent(sum(ok), sum(asked))} % of ${sum(asked)}; by second: ${shares.join(' ')}`,
    );
    if (Object.keys(errors).length > 0) console.log(`    ${JSON.stringify(errors)}`);
  }
  console.log(`  events: ${events.join(', ') || 'none'}; lines in the log: ${log.length}`);
  for (const line of log.slice(0, 4)) console.log(`    ${line.slice(0, 160)}`);
}

function percent(part, whole) {
  return Math.round((1_000 * part) / whole) / 10;
}

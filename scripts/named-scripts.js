/** For each name, its commands and what they show. Those with `tsx bench/` use the sources, and need no build. */
export const NAMED = {
  example: {
    nest: ['tsx --tsconfig examples/tsconfig.run.json examples/nest/main.ts', 'a Nest app'],
    testing: ['vitest run examples/testing/', 'tests of an app, with the embedded service'],
    metrics: ['node examples/metrics/main.js', "OpenTelemetry's metrics"],
    exposures: ['node examples/exposures/main.js', 'tracking: what users saw, and what they did then'],
    'vendor-swap': ['node examples/vendor-swap/main.js', 'one app with several providers of OpenFeature'],
  },
  bench: {
    resolves: ['node bench/resolves.js', 'what a resolve costs'],
    cold: ['node bench/cold.js', 'milliseconds until the first answer of a new process'],
    snapshot: [
      'node bench/snapshot.js && node bench/turns.js',
      'large snapshots: time, memory, longest turn',
    ],
    streams: ['node --expose-gc bench/streams.js', 'event streams of browsers'],
    load: ['node bench/pressure/main.js', 'answers under load, second by second'],
    compare: ['node bench/compare/main.js', 'this provider and its peers: the table of the README'],
    simulate: ['tsx bench/simulate/main.ts', 'what a fleet asks of Flipt'],
    'hostile-input': ['tsx bench/hostile.ts', 'bodies that are made to be slow'],
    'hostile-files': ['tsx bench/hostile-files.ts', 'features files that are made to be slow'],
  },
};

/** What the load runs play. `service` is left out with --url: then the service is a real Flipt. */
export const scenarios = [
  {
    name: 'more than it can carry: 2,000/s at 300 ms (1,333/s)',
    service: { latencyMs: 300 },
    phases: [{ seconds: 10, perSecond: 2_000 }],
    real: true,
  },
  {
    name: 'a spike: 4 s of 4,000/s, then 1,200/s at 300 ms',
    service: { latencyMs: 300 },
    phases: [
      { seconds: 4, perSecond: 4_000 },
      { seconds: 10, perSecond: 1_200 },
    ],
    real: true,
  },
  {
    name: '3 broken flags of 40, 800/s at 100 ms',
    service: { latencyMs: 100, trouble: 'broken flags' },
    phases: [{ seconds: 35, perSecond: 800 }],
    brokenFlags: true,
  },
  {
    name: '5/s refused with 400 among 800/s at 100 ms',
    service: { latencyMs: 100, trouble: 'refused questions' },
    phases: [{ seconds: 10, perSecond: 800 }],
    special: 'refused questions',
    specialPerSecond: 5,
  },
  ...[10, 100].map((latencyMs) => ({
    name: `100/s refused with 400 among 800/s at ${latencyMs} ms`,
    service: { latencyMs, trouble: 'refused questions' },
    phases: [{ seconds: 10, perSecond: 800 }],
    special: 'refused questions',
    specialPerSecond: 100,
  })),
  ...['503', 'reset', 'silence'].flatMap((outcome) =>
    [5, 100].map((specialPerSecond) => ({
      name: `${specialPerSecond}/s that a firewall answers with ${outcome}, among 300/s at 10 ms`,
      service: { latencyMs: 10, trouble: `firewall ${outcome}` },
      phases: [{ seconds: 8, perSecond: 300 }],
      special: 'refused questions',
      specialPerSecond,
    })),
  ),
  {
    name: '403 for one user, 5/s among 300/s at 100 ms',
    service: { latencyMs: 100, trouble: 'forbidden user' },
    phases: [{ seconds: 8, perSecond: 300 }],
    special: 'forbidden user',
    specialPerSecond: 5,
  },
  {
    name: 'the event loop blocked for 700 ms, 100/s at 20 ms',
    service: { latencyMs: 20 },
    phases: [{ seconds: 8, perSecond: 100 }],
    blockMs: 700,
    real: true,
  },
  {
    name: 'contexts of 3 MB, 3/s among 100/s at 20 ms',
    service: { latencyMs: 20 },
    phases: [{ seconds: 5, perSecond: 100 }],
    special: 'large contexts',
    specialPerSecond: 3,
    real: true,
  },
  {
    name: 'a prefetch of 1,000 at 300 ms',
    service: { latencyMs: 300 },
    phases: [{ seconds: 4, perSecond: 0 }],
    burst: 1_000,
    real: true,
  },
  {
    name: 'a burst of 5,000 at 300 ms, beside 200/s',
    service: { latencyMs: 300 },
    phases: [{ seconds: 5, perSecond: 200 }],
    burst: 5_000,
    real: true,
  },
  {
    name: 'two processes, 8 workers, 300 ms: 3 s of 2,000/s each, then 400/s each',
    service: { latencyMs: 300, workers: 8 },
    phases: [
      { seconds: 3, perSecond: 2_000 },
      { seconds: 12, perSecond: 400 },
    ],
    processes: 2,
    real: true,
  },
];

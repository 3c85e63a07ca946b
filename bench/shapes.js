/** Makes snapshots that cost as much work as possible: each has less than 4 MB, and no flag of more than 0.5 MB. */

const MOST_BYTES = 4_000_000;
const MOST_BYTES_OF_FLAG = 500_000;

/** As many copies of an item as fit into `bytes`. */
function filled(item, bytes) {
  const items = [];
  for (let at = 0, left = bytes; left > 0; at++) {
    const next = item(at);
    left -= JSON.stringify(next).length + 1;
    if (left > 0) items.push(next);
  }
  return items;
}

function constraint(operator, value, type = 'STRING') {
  return { type: `${type}_CONSTRAINT_COMPARISON_TYPE`, property: 'plan', operator, value };
}

function segment(at, ...constraints) {
  return { key: `segment-${at}`, constraints };
}

const eq = (at) => constraint('eq', `value-${at}`);

/** For each shape, a function that makes a flag's members and gets how many bytes to fill. */
const VARIANT_FLAGS = {
  rules: (bytes) => ({ rules: filled((at) => ({ id: `${at}`, segments: [segment(at, eq(at))] }), bytes) }),
  'empty rules': (bytes) => ({ rules: filled(() => ({}), bytes) }),
  'segments of a rule': (bytes) => ({ rules: [{ segments: filled((at) => segment(at, eq(at)), bytes) }] }),
  'segments of one key': (bytes) => ({
    rules: [{ segments: filled((at) => ({ ...segment(0, eq(at)) }), bytes) }],
  }),
  'empty segments': (bytes) => ({ rules: [{ segments: filled((at) => ({ key: `${at}` }), bytes) }] }),
  constraints: (bytes) => ({ rules: [{ segments: [segment(0, ...filled(eq, bytes))] }] }),
  'list of strings': (bytes) => ({
    rules: [
      {
        segments: [segment(0, constraint('isoneof', JSON.stringify(filled((at) => `${at}`, bytes * 0.72))))],
      },
    ],
  }),
  'list of numbers': (bytes) => ({
    rules: [
      {
        segments: [
          segment(0, constraint('isoneof', JSON.stringify(filled((at) => at, bytes - 300)), 'NUMBER')),
        ],
      },
    ],
  }),
  'lists of strings': (bytes) => ({
    rules: filled(
      (at) => ({
        segments: [segment(at, constraint('isoneof', JSON.stringify(filled((n) => `${at}-${n}`, 1_000))))],
      }),
      bytes,
    ),
  }),
  distributions: (bytes) => ({
    rules: [{ distributions: filled((at) => ({ variantKey: `${at}`, rollout: 0.001 }), bytes) }],
  }),
  'empty distributions': (bytes) => ({ rules: [{ distributions: filled(() => ({}), bytes) }] }),
  attachments: (bytes) => ({
    rules: [
      {
        distributions: filled(
          (at) => ({ variantKey: 'a', variantAttachment: `{"n":${at}}`, rollout: 0.01 }),
          bytes,
        ),
      },
    ],
  }),
  'an attachment': (bytes) => ({
    rules: [
      { distributions: [{ variantKey: 'a', variantAttachment: `"${'x'.repeat(bytes)}"`, rollout: 100 }] },
    ],
  }),
  'dates and numbers': (bytes) => ({
    rules: filled(
      (at) => ({
        segments: [
          segment(
            at,
            constraint('gt', '2024-01-01T00:00:00Z', 'DATETIME'),
            constraint('gte', '1e3', 'NUMBER'),
          ),
        ],
      }),
      bytes,
    ),
  }),
};
const BOOLEAN_FLAGS = {
  rollouts: (bytes) => ({
    rollouts: filled(
      (at) => ({ type: 'SEGMENT_ROLLOUT_TYPE', segment: { value: true, segments: [segment(at, eq(at))] } }),
      bytes,
    ),
  }),
  thresholds: (bytes) => ({
    rollouts: filled(() => ({ type: 'THRESHOLD_ROLLOUT_TYPE', threshold: {} }), bytes),
  }),
};

function bodies(makers, type) {
  return Object.entries(makers).map(([name, maker]) => [
    name,
    (edition) => {
      const flags = Array.from({ length: 8 }, (_, at) => ({
        key: `flag-${at}`,
        type,
        enabled: true,
        description: `${edition}`,
        ...maker(MOST_BYTES_OF_FLAG - 1_000),
      }));
      // In each flag, the editions differ in something that evaluation reads.
      for (const flag of flags) {
        if (type === 'BOOLEAN_FLAG_TYPE') flag.enabled = edition % 2 === 0;
        else flag.defaultVariant = { key: `${edition}` };
      }
      return JSON.stringify({ flags });
    },
  ]);
}

function manyFlags(edition) {
  const flags = filled(
    (at) => ({ key: `${at}`, type: 'BOOLEAN_FLAG_TYPE', enabled: edition % 2 === 0 }),
    MOST_BYTES - 100,
  );
  return JSON.stringify({ flags });
}

/** For each name, a function that returns the body of an edition. All flags differ between two editions. */
export const SHAPES = new Map([
  ...bodies(VARIANT_FLAGS, 'VARIANT_FLAG_TYPE'),
  ...bodies(BOOLEAN_FLAGS, 'BOOLEAN_FLAG_TYPE'),
  ['flags', manyFlags],
]);

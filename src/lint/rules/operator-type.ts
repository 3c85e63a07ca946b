import { OPERATORS } from '../../engine/operators-by-type.js';
import { quoted } from '../../text/describe.js';
import type { LintRule } from '../finding.js';

/** An operator that the constraint's type does not have. */
export const operatorType: LintRule = ({ content }) =>
  content.segments.flatMap(({ key, constraints }, index) =>
    constraints.flatMap(({ type, operator }, at) => {
      const known = OPERATORS[type];
      if (known.includes(operator.toLowerCase())) return [];
      return {
        path: ['segments', index, 'constraints', at, 'operator'],
        problem: `Constraint ${at + 1} of segment ${quoted(key)} has the operator ${quoted(operator)}, which ${type} has not.`,
        effect: 'The constraint matches nobody; serve refuses the file.',
        fix: `Write one of ${known.join(', ')}, or another type.`,
      };
    }),
  );

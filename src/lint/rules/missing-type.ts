import { quoted } from '../../text/describe.js';
import { listOf, memberOf } from '../../features/document-parts.js';
import type { LintRule } from '../finding.js';

/** A flag without a type. If it has variants, they say what it is: files of format 1.0 have no types. */
export const missingType: LintRule = ({ given, content }) =>
  content.flags.flatMap(({ key, variants }, index) => {
    if (hasType(given, index) || variants.length > 0) return [];
    return {
      path: ['flags', index],
      problem: `Flag ${quoted(key)} has no type, so it is a variant flag.`,
      effect: 'It has no variants: every call, such as getBooleanValue, returns its own default value.',
      fix: 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.',
    };
  });

/** Whether a flag's type is written. */
export function hasType(given: unknown, index: number): boolean {
  return Boolean(memberOf(listOf(given, 'flags')[index], 'type'));
}

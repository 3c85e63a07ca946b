import { isV2 } from '../../engine/rules-of-version.js';
import { parsedJson } from '../../text/json.js';
import { quoted } from '../../text/describe.js';
import type { LintRule } from '../finding.js';

/** An attachment that is a text, although no call of OpenFeature reads one. */
export const textAttachment: LintRule = ({ content, semantics }) =>
  content.flags.flatMap(({ key, type, variants }, index) => {
    if (type !== 'VARIANT_FLAG_TYPE') return [];
    return variants.flatMap(({ key: variant, attachment }, at) => {
      if (typeof attachment !== 'string') return [];
      const isQuoted = parsedJson(attachment) !== undefined;
      return {
        path: ['flags', index, 'variants', at, 'attachment'],
        problem: `The attachment of variant ${quoted(variant)} of flag ${quoted(key)} is a text${isQuoted ? ', JSON in quotes' : ', not JSON'}.`,
        effect: isV2(semantics)
          ? 'Flipt v2 refuses the file.'
          : 'getObjectValue returns its own default value, with TYPE_MISMATCH.',
        fix: isQuoted ? 'Remove the quotes around it.' : 'Write a mapping or a list.',
      };
    });
  });

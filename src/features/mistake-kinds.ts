import type { ComparisonType } from '../engine/features.js';
import { OPERATORS } from '../engine/constraint-match.js';
import { quoted } from '../base/text/describe.js';

/** What is wrong with a part of a document: the kind of the mistake, and what the messages say about the mistake. */
export type Wrong =
  /**
   * A value has the wrong type (`wrong-type`), or the right type and a wrong content (`wrong-value`). The name of a
   * member is not a text (`wrong-name`). A text has no quotes, so that it is read as a value of another type, such as a
   * number (`unquoted`).
   */
  | ({ readonly kind: 'wrong-type' | 'wrong-value' | 'wrong-name' | 'unquoted' } & Unexpected)
  /**
   * A list has an item of the wrong type (`wrong-item`) or too many items (`long`), or a list or a text is empty
   * (`empty`).
   */
  | { readonly kind: 'wrong-item' | 'long' | 'empty'; readonly expected: string; readonly got: string }
  | { readonly kind: 'missing' | 'several-defaults' | 'rollouts-of-variant-flag' }
  /**
   * Flipt does not have this member. `meant` is the name of a known member that is spelt almost alike, or `undefined`
   * if there is none.
   */
  | { readonly kind: 'unknown-member'; readonly meant: string | undefined }
  /**
   * A rollout has the member `percentage`, which belongs into the member `threshold`. `meant` shows how to write
   * `threshold`.
   */
  | { readonly kind: 'bare-percentage'; readonly meant: string }
  /** A mapping has none or both of two members, although it must have exactly one of them. */
  | { readonly kind: 'either'; readonly names: readonly string[] }
  | { readonly kind: 'repeated-key' | 'repeated-namespace'; readonly key: string }
  /** A rule, a rollout or a distribution has the key of a segment or a variant that does not exist. */
  | { readonly kind: 'unknown-key'; readonly part: keyof typeof WHOLE; readonly key: string }
  /** A constraint has an operator that its type does not have. */
  | { readonly kind: 'wrong-operator'; readonly type: ComparisonType; readonly operator: string }
  /** The file is a file of another feature flag service. */
  | { readonly kind: 'other-service'; readonly service: string }
  /** The text cannot be read as YAML. */
  | { readonly kind: 'syntax'; readonly message: string };

interface Unexpected {
  /** What the document must have, such as `a list`. */
  readonly expected: string;
  /** What the document has, such as `null`. The member is `undefined` if the one-line message does not say it. */
  readonly got?: string | undefined;
}

/** For each part that a key can name, the place where the part must exist. */
export const WHOLE = { segment: 'this document', variant: 'this flag' } as const;

/** Says in one line what is wrong, such as `expected a list, got "x"`. */
export function wrongMessage(wrong: Wrong): string {
  switch (wrong.kind) {
    case 'missing':
      return 'missing';
    case 'several-defaults':
      return 'expected at most one default variant';
    case 'rollouts-of-variant-flag':
      return 'only a BOOLEAN_FLAG_TYPE has rollouts';
    case 'unknown-member':
      return `unknown member${wrong.meant === undefined ? '' : `; did you mean ${quoted(wrong.meant)}?`}`;
    case 'bare-percentage':
      return `unknown member; did you mean ${wrong.meant}?`;
    case 'either':
      return `expected either ${wrong.names.join(' or ')}`;
    case 'repeated-key':
      return `${quoted(wrong.key)} occurs twice`;
    case 'repeated-namespace':
      return `${quoted(wrong.key)} already has a document`;
    case 'unknown-key':
      return `expected the key of a ${wrong.part} of ${WHOLE[wrong.part]}, got ${quoted(wrong.key)}`;
    case 'wrong-operator':
      return `expected one of ${OPERATORS[wrong.type].join(', ')} for ${wrong.type}, got ${quoted(wrong.operator)}`;
    case 'other-service':
      return `a file of ${wrong.service}, not of Flipt: flags are a list here (docs/migrating.md compares the two)`;
    case 'syntax':
      return wrong.message;
    default: {
      const got = wrong.got === undefined ? '' : `, got ${wrong.got}`;
      return `expected ${wrong.expected}${got}${wrong.kind === 'unquoted' ? ' (put it in quotes)' : ''}`;
    }
  }
}

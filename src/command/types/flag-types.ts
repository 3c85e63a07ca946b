import type { Features, Flag, VariantFlag } from '../../engine/features.js';
import type { VariantAnswer } from '../../model/answer.js';
import { toBoolean } from '../../provider/mapping/boolean.js';
import { toNumber } from '../../provider/mapping/number.js';
import { toObject } from '../../provider/mapping/object.js';
import type { Translate } from '../../provider/mapping/value.js';
import { commonShape, shapeOf, type Shape } from './attachment-shape.js';

/** OpenFeature's four types of a value. */
export type ValueType = 'boolean' | 'string' | 'number' | 'object';

/** What the written types say about a flag. */
export interface FlagTypes {
  readonly key: string;
  readonly kind: 'boolean' | 'variant' | 'unreadable';
  /** The types that each of its values can have. */
  readonly types: readonly ValueType[];
  /** The keys of its variants, sorted; `undefined` if there may be other variants. */
  readonly variants?: readonly string[];
  /** What its attachments have in common; `undefined` if one of them is not an object or a list. */
  readonly attachment?: Shape;
}

/** The types of the flags, in the order of their keys. `areAllVariants`: the features hold all variants that exist. */
export function flagTypes({ flags, unreadable }: Features, areAllVariants: boolean): readonly FlagTypes[] {
  const readable = Array.from(flags.values(), (flag) => typesOf(flag, areAllVariants));
  const others = Array.from(unreadable?.keys() ?? [], unreadableTypes);
  return [...readable, ...others].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Only the service knows its values, so the app may ask for any type. */
function unreadableTypes(key: string): FlagTypes {
  return {
    key,
    kind: 'unreadable',
    types: ['boolean', 'string', 'number', 'object'],
    attachment: { kind: 'any' },
  };
}

function typesOf(flag: Flag, areAllVariants: boolean): FlagTypes {
  const { key } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return { key, kind: 'boolean', types: ['boolean'] };
  const answers = answersOf(flag);
  const attachment = isEach(answers, toObject) ? commonShape(answers.map(attachmentShape)) : undefined;
  const keys = new Set(answers.map(({ variant }) => variant));
  return {
    key,
    kind: 'variant',
    types: [
      ...(isEach(answers, toBoolean) ? (['boolean'] as const) : []),
      'string',
      ...(isEach(answers, toNumber) ? (['number'] as const) : []),
      ...(attachment ? (['object'] as const) : []),
    ],
    ...(areAllVariants && { variants: [...keys].sort() }),
    ...(attachment && { attachment }),
  };
}

/** Each answer that the flag may give. */
function answersOf({ variants }: VariantFlag): readonly VariantAnswer[] {
  const rest = { kind: 'variant', match: true, reason: 'MATCH', segmentKeys: [], requestId: '' } as const;
  return Array.from(variants.values(), ({ key, attachment }) => ({ ...rest, variant: key, attachment }));
}

/** `every` would be true for a flag without variants, which gives no value at all. */
function isEach(answers: readonly VariantAnswer[], translate: Translate<unknown>): boolean {
  return answers.length > 0 && answers.every((answer) => 'value' in translate(answer));
}

function attachmentShape(answer: VariantAnswer): Shape {
  const translated = toObject(answer);
  return shapeOf('value' in translated ? translated.value : null);
}

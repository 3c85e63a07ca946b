import type { Question } from '../model/answer.js';
import { comparedText, type ComparedText } from './syntax/compared-text.js';

type Attributes = Readonly<Record<string, unknown>>;

/** The text of an attribute; `undefined` if there is none. Called only for attributes that are compared. */
export type ReadAttribute = (attributes: Attributes, name: string) => string | undefined;

/**
 * An entity with its attributes, as flags see them. Flags that are evaluated together for one context share it, so that
 * a long text is read once for all of them. It must not be kept longer: the context may change.
 */
export class EvaluatedEntity {
  private comparedId: ComparedText | undefined;
  private longTexts: Map<string, ComparedText> | undefined;

  constructor(
    /** The entity's id. */
    readonly id: string,
    private readonly attributes: Attributes,
    private readonly read: ReadAttribute,
  ) {}

  /** The entity's id, as constraints compare it. */
  idText(): ComparedText {
    return (this.comparedId ??= comparedText(this.id));
  }

  /** An attribute's text; `undefined` if there is none. Throws only what reading it throws. */
  attribute(name: string): ComparedText | undefined {
    const known = this.longTexts?.get(name);
    if (known !== undefined) return known;
    const text = this.read(this.attributes, name);
    if (text === undefined) return undefined;
    const given = comparedText(text);
    if (typeof given !== 'string') (this.longTexts ??= new Map()).set(name, given);
    return given;
  }

  /** The names of all attributes. */
  names(): readonly string[] {
    return Object.keys(this.attributes);
  }
}

/** The entity that a question is about. */
export function entityOf({ entity, attributes }: Pick<Question, 'entity' | 'attributes'>): EvaluatedEntity {
  return new EvaluatedEntity(entity, attributes, ownText);
}

/** A name like `constructor` counts only if it was sent. */
function ownText(attributes: Attributes, name: string): string | undefined {
  const text = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return typeof text === 'string' ? text : undefined;
}

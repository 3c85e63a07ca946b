import type { Question } from '../model/answer.js';
import { comparedText, type ComparedText } from './syntax/compared-text.js';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * Returns the text of an attribute, or `undefined` if there is no such attribute. The function is called only for
 * attributes that a constraint compares.
 */
export type ReadAttribute = (attributes: Attributes, name: string) => string | undefined;

/**
 * An entity with its attributes, in the form that evaluation reads. If several flags are evaluated for one
 * `EvaluatedEntity`, a long attribute is parsed only once as each type. Do not keep an `EvaluatedEntity` after the
 * evaluation, because the app can change the context later.
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

  /** Returns the entity's id in the form that constraints on the entity id compare. */
  idText(): ComparedText {
    return (this.comparedId ??= comparedText(this.id));
  }

  /**
   * Returns an attribute's text, or `undefined` if there is no such attribute. The method throws only if `read`, which
   * reads the attribute from the context, throws.
   */
  attribute(name: string): ComparedText | undefined {
    const cached = this.longTexts?.get(name);
    if (cached !== undefined) return cached;
    const text = this.read(this.attributes, name);
    if (text === undefined) return undefined;
    const given = comparedText(text);
    if (typeof given !== 'string') (this.longTexts ??= new Map()).set(name, given);
    return given;
  }

  /** Returns the names of all attributes. */
  names(): readonly string[] {
    return Object.keys(this.attributes);
  }
}

/** Returns the entity of a question, together with the entity's attributes. */
export function entityOf({ entity, attributes }: Pick<Question, 'entity' | 'attributes'>): EvaluatedEntity {
  return new EvaluatedEntity(entity, attributes, ownText);
}

/**
 * Returns an attribute's text, or `undefined` if there is no such attribute. The function reads only own members of the
 * object, because inherited members such as `constructor` are not attributes.
 */
function ownText(attributes: Attributes, name: string): string | undefined {
  const text = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return typeof text === 'string' ? text : undefined;
}

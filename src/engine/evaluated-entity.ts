import type { Question } from '../model/answer.js';
import { comparedText, type ComparedText } from './syntax/compared-text.js';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * Returns the text of an attribute, or `undefined` if there is no such attribute. The function is called only for
 * attributes that are compared.
 */
export type ReadAttribute = (attributes: Attributes, name: string) => string | undefined;

/**
 * An entity with its attributes, as flags see them. All flags that are evaluated together for one context share one
 * such object, so that a long text is read once for all of them. The object must not be kept after these flags are
 * evaluated, because the app can change the context.
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

  /** Returns the entity's id in the form that constraints compare. */
  idText(): ComparedText {
    return (this.comparedId ??= comparedText(this.id));
  }

  /**
   * Returns an attribute's text, or `undefined` if there is no such attribute. The method throws only if reading the
   * attribute throws.
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

/** Returns the entity that a question is about. */
export function entityOf({ entity, attributes }: Pick<Question, 'entity' | 'attributes'>): EvaluatedEntity {
  return new EvaluatedEntity(entity, attributes, ownText);
}

/** Only own members count, so that an attribute called `constructor` is there only if it was sent. */
function ownText(attributes: Attributes, name: string): string | undefined {
  const text = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return typeof text === 'string' ? text : undefined;
}

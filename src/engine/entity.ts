import type { Question } from '../model/answer.js';
import { trimSpace } from './go-syntax.js';

export type Value = string | number | bigint | boolean;
export type Parse = (text: string) => Value | undefined;

/**
 * Trimmed and parsed once, however many constraints ask: 300 of them on an attribute of 60,000 spaces would otherwise
 * block the event loop for 100 ms.
 */
export class ComparedText {
  private withoutSpace: string | undefined;
  private values: Map<Parse, Value | undefined> | undefined;

  constructor(readonly text: string) {}

  trimmed(): string {
    return (this.withoutSpace ??= trimSpace(this.text));
  }

  parsed(parse: Parse): Value | undefined {
    this.values ??= new Map();
    if (!this.values.has(parse)) this.values.set(parse, parse(this.text));
    return this.values.get(parse);
  }
}

type Attributes = Readonly<Record<string, unknown>>;

/** For attributes that a constraint compares. May throw. */
export type ReadAttribute = (attributes: Attributes, name: string) => string | undefined;

/** Not for longer than the evaluation: the app can change its context. */
export class EvaluatedEntity {
  private ownId: ComparedText | undefined;
  private texts: Map<string, ComparedText> | undefined;

  constructor(
    readonly id: string,
    private readonly attributes: Attributes,
    private readonly read: ReadAttribute,
  ) {}

  idText(): ComparedText {
    return (this.ownId ??= new ComparedText(this.id));
  }

  attribute(name: string): ComparedText | undefined {
    const known = this.texts?.get(name);
    if (known !== undefined) return known;
    const text = this.read(this.attributes, name);
    if (text === undefined) return undefined;
    const compared = new ComparedText(text);
    (this.texts ??= new Map()).set(name, compared);
    return compared;
  }

  names(): readonly string[] {
    return Object.keys(this.attributes);
  }
}

export function entityOf({ entity, attributes }: Pick<Question, 'entity' | 'attributes'>): EvaluatedEntity {
  return new EvaluatedEntity(entity, attributes, ownText);
}

/** Inherited members such as `constructor` are no attributes. */
function ownText(attributes: Attributes, name: string): string | undefined {
  const text = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return typeof text === 'string' ? text : undefined;
}

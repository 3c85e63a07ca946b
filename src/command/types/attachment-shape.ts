import { quoted } from '../../text/quote.js';

/** What several values have in common, as a type can say it. `any`: nothing; `members`: only that all are objects. */
export type Shape =
  | { readonly kind: 'any' | 'null' | 'boolean' | 'number' | 'string' | 'members' }
  /** `item` is undefined while no list has an item. */
  | { readonly kind: 'list'; readonly item: Shape | undefined }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Shape> };

/** A deeper type would not help its reader, and would slow down the compiler. */
const DEEPEST = 8;
const MOST_MEMBERS = 100;

const ANY: Shape = { kind: 'any' };

/** The shape of a JSON value. */
export function shapeOf(value: unknown, depth = 0): Shape {
  if (value === null) return { kind: 'null' };
  if (Array.isArray(value)) {
    if (depth === DEEPEST) return { kind: 'list', item: ANY };
    return { kind: 'list', item: commonShape(value.map((item) => shapeOf(item, depth + 1))) };
  }
  if (typeof value === 'object') return objectShape(value, depth);
  const kind = typeof value;
  return kind === 'boolean' || kind === 'number' || kind === 'string' ? { kind } : ANY;
}

function objectShape(value: object, depth: number): Shape {
  const members = Object.entries(value);
  if (depth === DEEPEST || members.length > MOST_MEMBERS) return { kind: 'members' };
  return {
    kind: 'object',
    members: new Map(members.map(([name, member]) => [name, shapeOf(member, depth + 1)])),
  };
}

/** What all shapes have in common; `undefined` for an empty list. */
export function commonShape(shapes: readonly Shape[]): Shape | undefined {
  const [first, ...others] = shapes;
  return first && others.reduce(common, first);
}

function common(one: Shape, other: Shape): Shape {
  if (one.kind === 'list' && other.kind === 'list') {
    const items = [one.item, other.item].filter((item) => item !== undefined);
    return { kind: 'list', item: commonShape(items) };
  }
  if (one.kind === 'object' && other.kind === 'object') return commonMembers(one.members, other.members);
  if (isObject(one) && isObject(other)) return { kind: 'members' };
  return one.kind === other.kind ? one : ANY;
}

function commonMembers(one: ReadonlyMap<string, Shape>, other: ReadonlyMap<string, Shape>): Shape {
  const members = new Map<string, Shape>();
  for (const [name, member] of one) {
    const same = other.get(name);
    if (same !== undefined) members.set(name, common(member, same));
  }
  const isSame = members.size === one.size && members.size === other.size;
  return isSame ? { kind: 'object', members } : { kind: 'members' };
}

function isObject({ kind }: Shape): boolean {
  return kind === 'object' || kind === 'members';
}

/** Whether the shape's type uses the name JsonObject. */
export function namesObject(shape: Shape): boolean {
  if (shape.kind === 'list') return shape.item !== undefined && namesObject(shape.item);
  if (shape.kind !== 'object') return shape.kind === 'members';
  return shape.members.size === 0 || [...shape.members.values()].some(namesObject);
}

/** A shape as a TypeScript type, with OpenFeature's types for JSON. */
export function shapeType(shape: Shape): string {
  switch (shape.kind) {
    case 'any':
      return 'JsonValue';
    case 'members':
      return 'JsonObject';
    case 'list':
      return `${shape.item === undefined ? 'JsonValue' : shapeType(shape.item)}[]`;
    case 'object': {
      const names = [...shape.members].sort(([one], [other]) => (one < other ? -1 : 1));
      const members = names.map(([name, member]) => `${quoted(name)}: ${shapeType(member)}`);
      return members.length === 0 ? 'JsonObject' : `{ ${members.join('; ')} }`;
    }
    default:
      return shape.kind;
  }
}

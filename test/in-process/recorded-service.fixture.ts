import type { RecordedCase } from '../engine/recordings.fixture.js';
import { answering, item, orMissing, type Script } from '../servers/scripted.fixture.js';

/** Makes a script that answers what Flipt answered. Attributes that are no part of the question are never sent. */
export function recordedService(cases: readonly RecordedCase[]): Script {
  const keyOf = ({ flagKey, entityId, context }: RecordedCase['request']) =>
    JSON.stringify([flagKey, entityId, Object.entries(context).sort()]);
  const responses = new Map(cases.map(({ request, response }) => [keyOf(request), response]));
  const member = { V: 'variantResponse', B: 'booleanResponse', E: 'errorResponse' } as const;
  return answering(
    orMissing((asked) => {
      const response = responses.get(keyOf(asked));
      if (response === undefined) return item.missing(asked.flagKey);
      const type = String(response.type);
      return { type, [member[type.charAt(0) as keyof typeof member]]: response };
    }),
  );
}

import type { Reply } from '../../../src/http/reply.js';
import { replied } from '../../http/outcomes.fixture.js';

export const URL_ = 'http://flipt.test';

export function reply(body: unknown, more: Partial<Reply> = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...replied(200, text, { 'content-type': 'application/json' }), ...more };
}

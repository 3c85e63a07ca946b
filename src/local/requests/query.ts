import { quoted } from '../../text/describe.js';
import { invalid } from './refused-request.js';

/**
 * The part of an address behind `?`. It is read when an operation asks for a parameter. So a query that cannot be read
 * fails only the operations that have parameters: the service's rule.
 */
export class Query {
  constructor(private readonly text: string) {}

  /** A parameter that may be given once; `undefined` if it is missing. Throws a 400 if any part cannot be read. */
  single(name: string): string | undefined {
    if (this.text.includes(';')) throw invalid('invalid semicolon separator in query');
    const [escape] = /%(?![0-9a-f]{2})[^&]{0,2}/i.exec(this.text) ?? [];
    if (escape !== undefined) throw invalid(`invalid URL escape ${quoted(escape)}`);
    const values = new URLSearchParams(this.text).getAll(name);
    if (values.length > 1) throw invalid(`too many values for field "${name}": ${values.join(', ')}`);
    return values[0];
  }
}

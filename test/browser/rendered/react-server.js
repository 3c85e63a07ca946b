import { renderToString } from 'react-dom/server';
import { showFlags } from '../../../examples/browser/rendered-flags.js';
import { page } from './page.js';

/** The page for these flags. It does not wait, so no other request's flags can come between. */
export function rendered(flags) {
  showFlags(flags);
  return renderToString(page());
}

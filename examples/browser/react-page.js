/*
 * Shows flags in a React page that the browser renders: docs/recipes.md#a-react-page-that-the-browser-renders.
 */
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, OpenFeatureProvider, useFlag } from '@openfeature/react-sdk';
import { createElement as h, Suspense } from 'react';
import { createRoot } from 'react-dom/client';

// Your server answers these requests with `ofrep` of openfeature-flipt-provider/express.
OpenFeature.setProvider(
  new OFREPWebProvider({ baseUrl: location.origin, cacheMode: 'disabled', pollInterval: 30_000 }),
);

function Checkout() {
  // The page waits for its first flags. If they do not arrive, this does not throw: the value is the default.
  const { value: isNew } = useFlag('new-checkout', false, { suspend: true });
  return h('p', null, isNew ? 'Buy with one click' : 'To the checkout');
}

createRoot(document.getElementById('root')).render(
  h(OpenFeatureProvider, null, h(Suspense, { fallback: h('p', null, 'Loading …') }, h(Checkout))),
);

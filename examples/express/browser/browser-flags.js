import { OFREPWebProvider } from '/modules/ofrep-web-provider.js';
import { OpenFeature, ProviderEvents } from '/modules/web-sdk.js';
import { textOf } from './flags-table.js';

/*
 * OpenFeature in the browser asks the app and not Flipt, and the app tells it of changes. The provider has no cache,
 * because that would show the flags of the last user of this browser.
 */
const provider = new OFREPWebProvider({ baseUrl: location.origin, cacheMode: 'disabled' });
const client = OpenFeature.getClient();

function show() {
  const details = [
    client.getBooleanDetails('new-checkout', false),
    client.getStringDetails('button-color', 'grey'),
    client.getStringDetails('holiday-banner', 'none'),
    // The app does not show this flag to browsers.
    client.getObjectDetails('limits', {}),
  ];
  const body = document.querySelector('#browser-flags tbody');
  body.replaceChildren(
    ...details.map(({ flagKey, value, variant = '', reason, errorCode }) => {
      const row = document.createElement('tr');
      row.setAttribute('role', 'row');
      const name = Object.assign(document.createElement('th'), { scope: 'row' });
      name.setAttribute('role', 'rowheader');
      name.textContent = flagKey;
      row.append(name);
      const outcome = errorCode === undefined ? reason : `${errorCode}: not shown to browsers`;
      for (const [label, text] of Object.entries({ value: textOf(value), variant, reason: outcome })) {
        const cell = row.insertCell();
        cell.setAttribute('role', 'cell');
        // The label is shown on a narrow screen, where the table has no header row.
        cell.dataset.label = text === '' ? '' : label;
        cell.textContent = text;
      }
      return row;
    }),
  );
}

for (const event of [
  ProviderEvents.Ready,
  ProviderEvents.ConfigurationChanged,
  ProviderEvents.ContextChanged,
]) {
  client.addHandler(event, show);
}
OpenFeature.setProvider(provider);
// The server decides who is logged in. A new context only makes the provider ask again.
window.addEventListener('user', ({ detail }) => {
  void OpenFeature.setContext({ targetingKey: detail });
});

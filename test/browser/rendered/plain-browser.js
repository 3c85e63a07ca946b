import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { followFlags, showFlags } from '../../../examples/browser/rendered-flags.js';

const client = OpenFeature.getClient();

/** Writes the texts, and again when the button is pressed. */
function show() {
  const { projects } = client.getObjectValue('limits', { projects: 1 });
  const texts = [
    client.getBooleanValue('new-checkout', false) ? 'Buy with one click' : 'To the checkout',
    `${client.getStringValue('banner', 'none')}, ${projects} projects, ${client.getNumberValue('discount', 0)} off, ${client.getStringValue('nobody', 'own')}`,
  ];
  for (const [at, place] of document.querySelectorAll('p').entries()) {
    place.textContent = texts[at];
  }
  document.querySelector('main').dataset.hydrated = 'true';
}

globalThis.providerName = () => OpenFeature.providerMetadata.name;
showFlags(JSON.parse(document.getElementById('flags').textContent));
show();
document.querySelector('button').addEventListener('click', show);
for (const event of [ProviderEvents.Ready, ProviderEvents.ConfigurationChanged])
  client.addHandler(event, show);
followFlags();

import { OpenFeature } from '@openfeature/web-sdk';
import { hydrateRoot } from 'react-dom/client';
import { followFlags, showFlags } from '../../../examples/browser/rendered-flags.js';
import { page } from './page.js';

globalThis.providerName = () => OpenFeature.providerMetadata.name;
showFlags(JSON.parse(document.getElementById('flags').textContent));
hydrateRoot(document.getElementById('root'), page());
followFlags();

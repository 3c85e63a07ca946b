import { OpenFeatureProvider, useFlag } from '@openfeature/react-sdk';
import { createElement as h, useEffect, useState } from 'react';

function Texts() {
  const { value: checkout } = useFlag('new-checkout', false);
  const { value: banner } = useFlag('banner', 'none');
  const { value: limits } = useFlag('limits', { projects: 1 });
  const { value: discount } = useFlag('discount', 0);
  const { value: nobody } = useFlag('nobody', 'own');
  return [
    h('p', { key: 'checkout' }, checkout ? 'Buy with one click' : 'To the checkout'),
    h('p', { key: 'rest' }, `${banner}, ${limits.projects} projects, ${discount} off, ${nobody}`),
  ];
}

/** A press of the button mounts the texts again: they ask for their flags as if they had never been there. */
function Shop() {
  const [isHydrated, setHydrated] = useState(false);
  const [presses, setPresses] = useState(0);
  useEffect(() => {
    setHydrated(true);
  }, []);
  return h(
    'main',
    { 'data-hydrated': isHydrated },
    h('button', { onClick: () => setPresses(presses + 1) }, 'Again'),
    h(Texts, { key: presses }),
  );
}

/** The page of the React test, the same on the server and in the browser. */
export const page = () => h(OpenFeatureProvider, null, h(Shop));

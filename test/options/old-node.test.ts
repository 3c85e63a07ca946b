import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { FliptClient } from '../../src/client/index.js';

it.each([FliptProvider, FliptClient])(
  'an old Node is named by its version, and the one that is needed',
  (Class) => {
    const getBuiltinModule: unknown = Reflect.get(process, 'getBuiltinModule');
    Reflect.set(process, 'getBuiltinModule', undefined);
    try {
      expect(() => new Class({ http: { proxy: 'env' } })).toThrow(
        `openfeature-flipt-provider needs Node 20.18.1 or newer; this is ${process.version}`,
      );
    } finally {
      Reflect.set(process, 'getBuiltinModule', getBuiltinModule);
    }
  },
);

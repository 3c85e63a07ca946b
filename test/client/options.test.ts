import { describe, expect, it } from 'vitest';
import { FliptClient, type ConnectionOptions } from '../../src/client/index.js';

describe('options', () => {
  it('are checked as the provider checks them', () => {
    expect(() => new FliptClient({ url: 'ftp://x' })).toThrow(TypeError);
    expect(() => new FliptClient({ namespace: 'a' } as ConnectionOptions)).toThrow(
      /^FliptClient: namespace: unknown option, expected one of url, auth/,
    );
  });
});

/* What the steps of the smoke suite share. They run with the packed package, in each runtime. */
import { strict as assert } from 'node:assert';
import { FliptProvider } from 'openfeature-flipt-provider';

export const FEATURES = {
  version: '1.4',
  namespace: 'default',
  flags: [
    { key: 'new-checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    { key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    { key: 'off', type: 'BOOLEAN_FLAG_TYPE', enabled: false },
    { key: 'switched', type: 'BOOLEAN_FLAG_TYPE', enabled: false },
    {
      key: 'banner',
      type: 'VARIANT_FLAG_TYPE',
      enabled: true,
      variants: [{ key: 'red', attachment: { size: 12 } }, { key: 'plain' }],
      rules: [{ segment: 'pro', distributions: [{ variant: 'red', rollout: 100 }] }],
    },
    {
      key: 'limit',
      type: 'VARIANT_FLAG_TYPE',
      enabled: true,
      variants: [{ key: '42' }],
      rules: [{ segment: 'everybody', distributions: [{ variant: '42', rollout: 100 }] }],
    },
  ],
  segments: [
    { key: 'everybody', match_type: 'ALL_MATCH_TYPE' },
    {
      key: 'pro',
      match_type: 'ALL_MATCH_TYPE',
      constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' }],
    },
  ],
};

export const PRO = { targetingKey: 'user-1', plan: 'pro' };

/** For a busy machine: a stall is to make no default. */
const PATIENT = { deadlineMs: 15_000, initTimeoutMs: 15_000 };
const PATIENT_HTTP = { timeoutMs: 15_000 };

/** A provider for one step, closed after it. */
export async function withProvider(options, use) {
  const quiet = { error() {}, warn() {}, info() {}, debug() {} };
  const http = { ...PATIENT_HTTP, ...options.http };
  const provider = new FliptProvider({ logger: quiet, ...PATIENT, ...options, http });
  try {
    return await use(provider);
  } finally {
    await provider.onClose();
  }
}

/** As `withProvider`, started. */
export const withStarted = (options, use) =>
  withProvider(options, async (provider) => {
    await provider.initialize();
    return use(provider);
  });

export async function details(coming, expected) {
  const { value, reason, errorCode } = await coming;
  const seen = { value, reason, errorCode };
  assert.deepEqual({ ...seen, ...expected }, seen);
}

/** Waits until the condition holds. The runner's time-out ends a wait that is in vain. */
export async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Sets what a flag resolves to, from whichever process. */
export async function set(url, flag, value) {
  const response = await fetch(`${url}/local/v1/namespaces/default/flags/${flag}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });
  assert.ok(response.ok, await response.text());
}

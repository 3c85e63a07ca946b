import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

/*
 * This is what OFREP 0.3.0 says of responses, in JSON Schema (https://github.com/open-feature/protocol,
 * service/openapi.yaml). A response may fit one of its alternatives, or several: a value that is a boolean also fits
 * the alternative without a value.
 */

const text = { type: 'string' };
const metadata = { type: 'object', additionalProperties: { type: ['boolean', 'string', 'number'] } };
const errorCodes = ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'GENERAL'];

const success = {
  type: 'object',
  required: ['key', 'reason'],
  properties: {
    key: text,
    reason: { enum: ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'UNKNOWN'] },
    variant: text,
    metadata,
    // A list is allowed, because it fits the alternative without a value, which says nothing about values.
    value: { type: ['boolean', 'string', 'number', 'object', 'array'] },
  },
};
const failure = {
  type: 'object',
  required: ['key', 'errorCode'],
  properties: { key: text, errorCode: { enum: errorCodes }, errorDetails: text, metadata },
};
const notFound = {
  ...failure,
  properties: { ...failure.properties, errorCode: { const: 'FLAG_NOT_FOUND' } },
};
const general = { type: 'object', properties: { errorDetails: text } };

/** An event stream has either an address or the parts of one. */
const eventStream = {
  type: 'object',
  required: ['type'],
  oneOf: [{ required: ['url'] }, { required: ['endpoint'] }],
  properties: {
    type: text,
    url: text,
    endpoint: { type: 'object', required: ['requestUri'], properties: { origin: text, requestUri: text } },
    inactivityDelaySec: { type: 'integer', minimum: 1 },
  },
};

const SINGLE: Readonly<Record<number, object>> = { 200: success, 400: failure, 404: notFound, 500: general };
const BULK: Readonly<Record<number, object>> = {
  200: {
    type: 'object',
    required: ['flags'],
    properties: {
      flags: { type: 'array', items: { anyOf: [success, failure] } },
      metadata,
      eventStreams: { type: 'array', items: eventStream },
    },
  },
  400: {
    type: 'object',
    required: ['errorCode'],
    properties: { errorCode: text, errorDetails: text },
  },
  500: general,
};

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });

/** The response to a request. */
export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * Reads a response and checks it against the protocol. If the protocol does not describe a status, only its form is
 * checked.
 */
export async function conforming(response: Response): Promise<Got> {
  const { status, headers, url } = response;
  const text = await response.text();
  expect(headers.get('cache-control')).toBe('no-store');
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  if (status === 304) {
    expect(text).toBe('');
    return { status, headers, body: undefined };
  }
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body: unknown = JSON.parse(text);
  const schemas = /\/flags$/.test(url) ? BULK : SINGLE;
  const check = ajv.compile(schemas[status] ?? general);
  check(body);
  expect(check.errors ?? [], text).toEqual([]);
  return { status, headers, body };
}

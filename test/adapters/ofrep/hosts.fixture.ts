import { getRequestListener } from '@hono/node-server';
import type { EvaluationContext } from '@openfeature/server-sdk';
import express5, { type RequestHandler } from 'express';
import express4 from 'express4';
import { onTestFinished } from 'vitest';
import { ofrep as inExpress } from '../../../src/adapters/express/index.js';
import { ofrep, type OfrepOptions } from '../../../src/adapters/ofrep/index.js';
import { listening } from '../../traffic/listening.fixture.js';
import { conforming, type Got } from './protocol.fixture.js';

type Context = EvaluationContext | Promise<EvaluationContext>;

/**
 * The options of a host. They take the context from the header `x-user`, which stands for the session of a real app.
 */
export interface HostOptions extends Omit<OfrepOptions<never>, 'context'> {
  readonly contextOf?: (user: string) => Context;
}

const byUser = (user: string): Context => ({ targetingKey: user });

const inExpressWith =
  (express: typeof express5, ...before: readonly RequestHandler[]) =>
  ({ contextOf = byUser, ...options }: HostOptions) => {
    const app = express();
    for (const handler of before) app.use(handler);
    app.use(
      inExpress({
        ...options,
        context: (req) => contextOf(req.get('x-user') ?? ''),
      }),
    );
    return app;
  };

const plain = ({ contextOf = byUser, ...options }: HostOptions) => {
  const handler = ofrep({
    ...options,
    context: (request) => contextOf(request.headers.get('x-user') ?? ''),
  });
  const listener = getRequestListener(handler, {
    errorHandler: () => new Response('its own error page', { status: 500 }),
  });
  return (...exchange: Parameters<typeof listener>) => void listener(...exchange);
};

/** The frameworks that can host the handler. */
export const HOSTS = [
  ['a Request', plain],
  ['Express 4', inExpressWith(express4)],
  ['Express 5', inExpressWith(express5)],
  ['Express 5 behind express.json', inExpressWith(express5, express5.json())],
] as const;

export type Host = (typeof HOSTS)[number][1];

export async function hosted(host: Host, options: HostOptions): Promise<string> {
  const server = await listening(host(options));
  onTestFinished(server.close);
  return server.url;
}

export interface Asking {
  readonly user?: string;
  readonly context?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is sent unchanged in place of the context. */
  readonly body?: string;
}

/** Asks for one flag, or for all, as a browser does. Checks that the answer conforms to the protocol. */
export async function ask(url: string, flagKey?: string, asking: Asking = {}): Promise<Got> {
  const { user = 'ada', context = {}, headers, body = JSON.stringify({ context }) } = asking;
  const path = flagKey === undefined ? '' : `/${encodeURIComponent(flagKey)}`;
  return conforming(
    await fetch(`${url}/ofrep/v1/evaluate/flags${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': user, ...headers },
      body,
    }),
  );
}

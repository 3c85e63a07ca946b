import { OpenFeature, type EvaluationContext, type JsonValue } from '@openfeature/server-sdk';
import express5, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import express4 from 'express4';
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import type { FliptProvider, FliptProviderOptions } from '../../../src/index.js';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { listening, type Listening } from '../../traffic/listening.fixture.js';
import { FEW_USERS, USERS, whoseFeatures } from '../../traffic/whose.fixture.js';
import { flipt } from '../../provider/open.fixture.js';

export const FLAGS = Array.from({ length: 10 }, (_, index) => `whose-${index}`);
export const user = (req: Request): string => (typeof req.query.user === 'string' ? req.query.user : '');
export const byQuery = (req: Request): EvaluationContext => ({ targetingKey: user(req) });

export let service: LocalService;
export let open: Listening[];

let forAll: Promise<LocalService> | undefined;

/** Gives each test of a file a service, and takes down what it has started. */
function useApps(): void {
  beforeEach(async () => {
    service = await startLocalService({ features: whoseFeatures(FEW_USERS, FLAGS.length) });
    open = [];
  });

  afterEach(async () => {
    await Promise.all(open.map((server) => server.close()));
    await OpenFeature.clearProviders();
    OpenFeature.setContext({});
    await service.close();
  });

  afterAll(async () => {
    await (await forAll)?.close();
    forAll = undefined;
  });
}

/**
 * Returns the address of a service that knows every user. All tests of a file share it, because it has many features.
 */
export async function addressForAll(): Promise<string> {
  forAll ??= startLocalService({ features: whoseFeatures(USERS, FLAGS.length) });
  return (await forAll).url;
}

export async function registered(
  options: FliptProviderOptions = {},
  domain?: string,
): Promise<FliptProvider> {
  const provider = flipt({ url: service.url, ...options });
  await (domain === undefined
    ? OpenFeature.setProviderAndWait(provider)
    : OpenFeature.setProviderAndWait(domain, provider));
  return provider;
}

const VERSIONS = [
  ['Express 4', express4],
  ['Express 5', express5],
] as const;

type Framework = (typeof VERSIONS)[number][1];
/** Serves an app of these parts, and resolves with its address. It answers errors with status 500 and their message. */
type Serve = (...parts: ((app: Express) => void)[]) => Promise<string>;

/** Describes the tests of a file once with each version of Express. Each test has the {@link service}. */
export function describeEachExpress(tests: (serve: Serve, express: Framework) => void): void {
  useApps();
  describe.each(VERSIONS)('%s', (_, express) => {
    tests(servingWith(express), express);
  });
}

const servingWith =
  (express: Framework): Serve =>
  async (...parts) => {
    const app = express();
    for (const part of parts) part(app);
    // Express recognises an error handler by its four parameters.
    const onError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
      if (res.headersSent) next(error);
      else res.status(500).json({ error: error instanceof Error ? error.message : error });
    };
    app.use(onError);
    const server = await listening(app);
    open.push(server);
    return server.url;
  };

export const use = (handler: RequestHandler) => (app: Express) => void app.use(handler);
export const route = (answer: (req: Request) => Promise<JsonValue>) => (app: Express) =>
  void app.all('/', (req, res, next) => {
    answer(req).then((body) => res.json(body), next);
  });
export const whose = async (flag = 'whose-0', client = OpenFeature.getClient()): Promise<string> =>
  client.getStringValue(flag, 'nobody');

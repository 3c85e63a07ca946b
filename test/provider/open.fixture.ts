import { OpenFeature, type Client, type Provider } from '@openfeature/server-sdk';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { onTestFinished, vi } from 'vitest';
import { FliptProvider, type FliptProviderOptions, type Logger } from '../../src/index.js';
import type { HttpDispatcher } from '../../src/options/http-dispatcher.js';
import { startLocalService, type LocalService, type LocalServiceOptions } from '../../src/local/index.js';
import { eventually, PATIENT } from '../eventually.fixture.js';
import { ownAddress } from '../servers/own-address.fixture.js';
import { scriptedServer, type Script, type ScriptedServer } from '../servers/scripted.fixture.js';

/* Everything that a test opens is closed after the test, the last one first. */

export async function serving(script: Script, snapshots?: Script, info?: Script): Promise<ScriptedServer> {
  const server = await scriptedServer(script, undefined, snapshots, info);
  onTestFinished(server.close);
  return server;
}

/** Makes a dispatcher whose requests to a path with `part` are sent only when `released` resolves. */
export function heldBack(part: string, released: Promise<unknown>): HttpDispatcher {
  const agent: HttpDispatcher = new Agent();
  return {
    async request(options) {
      if (options.path.includes(part)) await released;
      return agent.request(options);
    },
  };
}

/** Makes a folder. It is removed after the providers are closed, because they may still write to it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flipt-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Returns the address of a port on which nobody listens. */
export async function refusedAddress(): Promise<string> {
  const server = await scriptedServer(() => undefined);
  await server.close();
  return server.url;
}

/**
 * Starts a service without `requests`, which would count polls, and these come at any time. `questionsTo` does not
 * count them.
 */
export async function localService(options: LocalServiceOptions): Promise<Omit<LocalService, 'requests'>> {
  const service = await startLocalService({ host: ownAddress(), ...options });
  onTestFinished(() => service.close());
  return service;
}

export function recordingLogger(): { [L in keyof Logger]: ReturnType<typeof vi.fn<Logger[L]>> } {
  return { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
}

/** Makes a provider without logs. It is patient unless the options say otherwise. */
export function flipt(options: FliptProviderOptions): FliptProvider {
  const http = { ...PATIENT.http, ...options.http };
  return new FliptProvider({ logger: recordingLogger(), ...PATIENT, ...options, http });
}

let domains = 0;

/** Registers a provider for a domain of its own. The test itself checks whether the start succeeds. */
export function register(provider: Provider): { client: Client; registered: Promise<void>; domain: string } {
  const domain = `domain-${++domains}`;
  onTestFinished(() => OpenFeature.clearProviders());
  const registered = OpenFeature.setProviderAndWait(domain, provider);
  // A test that does not check the start must not fail because of it.
  registered.catch(() => undefined);
  return { client: OpenFeature.getClient(domain), registered, domain };
}

/** Registers a provider and records its logs. The test itself waits for the start. */
export function starting(options: FliptProviderOptions) {
  const logger = recordingLogger();
  const provider = flipt({ logger, ...options });
  return { logger, provider, ...register(provider) };
}

/** Resolves when the provider has a snapshot, which the start of a remote one does not wait for. */
export function untilSnapshot(provider: FliptProvider): Promise<void> {
  return eventually(async () => (await provider.getSnapshot()) !== undefined);
}

/** Opens a client of a provider that has started, or whose start has failed. */
export async function open(
  options: FliptProviderOptions,
): Promise<{ client: Client; provider: FliptProvider }> {
  const provider = flipt(options);
  const { client, registered } = register(provider);
  await registered.catch(() => undefined);
  return { client, provider };
}

/** An app with an open event stream and an exposure that waits, as its page of the docs says: `node ending-app.mjs HOST`. */
import 'reflect-metadata';
import { Controller, Get, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';
import { FliptProvider } from 'openfeature-flipt-provider';
import { flags, ofrep } from 'openfeature-flipt-provider/express';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { FliptModule } from 'openfeature-flipt-provider/nest';

const service = await startLocalService({
  features: { flags: [{ key: 'on', name: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
});
const provider = new FliptProvider({
  url: service.url,
  deadlineMs: 15_000,
  http: { timeoutMs: 15_000 },
  tracking: { send: async (events) => console.log(`sent ${events.map(({ flagKey }) => flagKey).join()}`) },
});
const user = () => ({ targetingKey: 'ada' });
const shown = ofrep({ context: user, flags: ['on'], push: true, provider });
const isOn = () => OpenFeature.getClient().getBooleanValue('on', false);
const listening = (port) => console.log(`http://localhost:${port}/`);
// The service stands for a Flipt elsewhere.
process.once('SIGTERM', () => void service.close());

const hosts = {
  async express() {
    await OpenFeature.setProviderAndWait(provider);
    const app = express();
    app.use(shown);
    app.use(flags({ context: user }));
    app.get('/', async (_req, res) => res.json(await isOn()));
    const server = app.listen(0, () => listening(server.address().port));
    process.once('SIGTERM', () => {
      server.close();
      void OpenFeature.close();
    });
  },
  async nest() {
    class Page {
      page() {
        return isOn();
      }
    }
    Get()(Page.prototype, 'page', Object.getOwnPropertyDescriptor(Page.prototype, 'page'));
    Controller()(Page);
    class AppModule {}
    Module({ imports: [FliptModule.forRoot({ provider, context: user })], controllers: [Page] })(AppModule);
    Logger.overrideLogger(['error']);
    const app = await NestFactory.create(AppModule);
    app.use(shown);
    app.enableShutdownHooks();
    await app.listen(0);
    listening(new URL(await app.getUrl()).port);
  },
};
await hosts[process.argv[2]]();

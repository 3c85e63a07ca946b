import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

const port = process.env.PORT || '3000';
if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
  console.error(`PORT: expected a number from 0 to 65535, got ${port}`);
  process.exit(1);
}

const app = await NestFactory.create<NestExpressApplication>(AppModule);
// Without this, Ctrl-C and SIGTERM would end the process before Nest could close the provider.
app.enableShutdownHooks();

try {
  await app.listen(Number(port));
  const { port: taken } = new URL(await app.getUrl());
  console.log(`http://localhost:${taken}/?user=ada&member=true shows a member's flags. Ctrl-C ends it.`);
} catch (error) {
  const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(inUse ? 'The port is in use already; choose another with PORT=…' : error);
  process.exitCode = 1;
  await app.close();
}

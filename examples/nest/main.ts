import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<NestExpressApplication>(AppModule);
// Without it Nest does not shut down on Ctrl-C and SIGTERM, and nothing would be closed.
app.enableShutdownHooks();

try {
  await app.listen(Number(process.env.PORT ?? 3000));
  const { port } = new URL(await app.getUrl());
  console.log(`http://localhost:${port}/?user=ada&member=true shows a member's flags. Ctrl-C ends it.`);
} catch (error) {
  const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(inUse ? 'The port is in use already; PORT=… takes another.' : error);
  process.exitCode = 1;
  await app.close();
}

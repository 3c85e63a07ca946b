import { Module } from '@nestjs/common';
import { EmbeddedService } from './embedded-service.js';

@Module({
  providers: [{ provide: EmbeddedService, useFactory: () => EmbeddedService.start() }],
  exports: [EmbeddedService],
})
export class FlagsServiceModule {}

import { Module } from '@nestjs/common';
import { OpenFeatureModule } from '@openfeature/nestjs-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { FliptModule } from 'openfeature-flipt-provider/nest';
import { EmbeddedService } from './embedded-service.js';
import { FlagsServiceModule } from './flags-service.module.js';
import { ShopController } from './shop.controller.js';
import type { UserRequest } from './user.guard.js';

@Module({
  imports: [
    FliptModule.forRootAsync<UserRequest>({
      imports: [FlagsServiceModule],
      inject: [EmbeddedService],
      useFactory: ({ url }: EmbeddedService) => ({
        provider: new FliptProvider({ url }),
        // FliptModule calls this when the request resolves its first flag, so the guard has already found the user.
        context: ({ user }) => (user ? { targetingKey: user.name, member: user.member } : {}),
        prefetch: ['greeting', 'new-checkout'],
      }),
    }),
    // This module gives the app its decorators. Its own interceptor is off, because it would replace the request's
    // context.
    OpenFeatureModule.forRoot({ useGlobalInterceptor: false }),
  ],
  controllers: [ShopController],
})
export class AppModule {}

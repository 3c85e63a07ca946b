import { Controller, Get, UseGuards } from '@nestjs/common';
import { OpenFeatureClient, StringFeatureFlag } from '@openfeature/nestjs-sdk';
import type { Client, EvaluationDetails } from '@openfeature/server-sdk';
import { RequireFlag } from 'openfeature-flipt-provider/nest';
import { firstValueFrom, type Observable } from 'rxjs';
import { UserGuard } from './user.guard.js';

@Controller()
@UseGuards(UserGuard)
export class ShopController {
  constructor(@OpenFeatureClient() private readonly flags: Client) {}

  /** Gets one value from the decorator of @openfeature/nestjs-sdk, and another from the client that it injects. */
  @Get()
  async welcome(
    @StringFeatureFlag({ flagKey: 'greeting', defaultValue: 'hi' })
    greeting: Observable<EvaluationDetails<string>>,
  ): Promise<{ greeting: string; checkout: string }> {
    const { value } = await firstValueFrom(greeting);
    const newCheckout = await this.flags.getBooleanValue('new-checkout', false);
    return { greeting: value, checkout: newCheckout ? 'new' : 'old' };
  }

  /** Users for whom the flag is off get a 404. */
  @Get('new-checkout')
  @RequireFlag('new-checkout', { default: false })
  newCheckout(): { checkout: string } {
    return { checkout: 'new' };
  }
}

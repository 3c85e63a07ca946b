import { fileURLToPath } from 'node:url';
import type { OnApplicationShutdown } from '@nestjs/common';
import { startLocalService, type LocalService } from 'openfeature-flipt-provider/local';

/** Provides Flipt: the server that FLIPT_URL names, or else a service in this process with the example's features. */
export class EmbeddedService implements OnApplicationShutdown {
  private constructor(
    readonly url: string,
    private readonly local?: LocalService,
  ) {}

  static async start(): Promise<EmbeddedService> {
    if (process.env.FLIPT_URL) return new EmbeddedService(process.env.FLIPT_URL);
    const features = fileURLToPath(new URL('features.yml', import.meta.url));
    const local = await startLocalService({ features });
    return new EmbeddedService(local.url, local);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.local?.close();
  }
}

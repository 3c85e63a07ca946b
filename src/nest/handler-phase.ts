import type { NestInterceptor } from '@nestjs/common';
import { stateIn } from './set-request-context.js';

/** Marks the end of the guards: global interceptors run after them. */
export const handlerPhase: NestInterceptor = {
  intercept(executionContext, next) {
    stateIn(executionContext)?.handlerBegins();
    return next.handle();
  },
};

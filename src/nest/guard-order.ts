import { Logger, type ExecutionContext } from '@nestjs/common';
import type { stateIn } from './request-state.js';

/** Marks the guards of `@RequireFlag`. All copies of this package share it. */
export const FLAG_GUARD = Symbol.for('openfeature-flipt-provider.nest-flag-guard');

const GUARDS = '__guards__';

/**
 * Warns once for each route that a flag was asked for before the guard that logs the user in: for a request without a
 * targetingKey that has one when all guards have run, or that is refused before other guards of the route could run.
 */
export function guardOrderWarnings(flag: string) {
  const warned = new WeakSet<object>();

  return (execution: ExecutionContext, state: ReturnType<typeof stateIn>, isOn: boolean): void => {
    const handler = execution.getHandler();
    if (warned.has(handler)) return;
    const warn = () => {
      warned.add(handler);
      new Logger('FliptModule').warn(
        `@RequireFlag('${flag}') of ${execution.getClass().name}.${handler.name} found no targetingKey before other ` +
          'guards of the route had run: if one of them logs the user in, put @RequireFlag above it (guards run from ' +
          'the bottom decorator up)',
      );
    };
    if (!isOn && othersFollow(execution)) warn();
    if (!isOn) return;
    state?.afterGuards((targetingKey) => {
      if (targetingKey && !warned.has(handler)) warn();
    });
  };
}

/** Whether the route has other guards after the first one for a flag. A controller's run first. */
function othersFollow(execution: ExecutionContext): boolean {
  const guards = [execution.getClass(), execution.getHandler()].flatMap((target): unknown[] => {
    const found: unknown = Reflect.getMetadata(GUARDS, target);
    return Array.isArray(found) ? found : [];
  });
  return guards.slice(guards.findIndex(isForFlag)).some((guard) => !isForFlag(guard));
}

function isForFlag(guard: unknown): boolean {
  return typeof guard === 'function' && Object.hasOwn(guard, FLAG_GUARD);
}

import { Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

export interface User {
  readonly name: string;
  readonly member: boolean;
}

export interface UserRequest extends Request {
  user?: User;
}

/**
 * Stands for your authentication, which proves who the user is. Here, the query `?user=ada&member=true` just says it,
 * so do not copy this file.
 */
@Injectable()
export class UserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<UserRequest>();
    const { user, member } = request.query;
    if (typeof user !== 'string') throw new UnauthorizedException('Who are you? Ask with ?user=…');
    request.user = { name: user, member: member === 'true' };
    return true;
  }
}

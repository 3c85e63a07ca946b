import { Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

export interface User {
  readonly name: string;
  readonly member: boolean;
}

export interface UserRequest extends Request {
  user?: User;
}

/** Stands for an app's own authentication. The query `?user=ada&member=true` says who the user is. */
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

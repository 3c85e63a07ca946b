import { subscribe } from 'node:diagnostics_channel';

let requests = 0;
subscribe('undici:request:create', () => {
  requests += 1;
});

/** HTTP requests that this process has sent so far, to whichever service: undici announces each of them. */
export const requestsSent = () => requests;

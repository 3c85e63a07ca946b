import { subscribe } from 'node:diagnostics_channel';

let requests = 0;
subscribe('undici:request:create', ({ request }) => {
  // Not those in the background: the provider watches the service for changes.
  if (request.path.endsWith('/evaluate/v1/batch')) requests += 1;
});

/** Requests for evaluations that this process has sent so far, to whichever service: undici announces each request. */
export const requestsSent = () => requests;

import { subscribe } from 'node:diagnostics_channel';

let requests = 0;
subscribe('http.client.request.start', ({ request }) => {
  // Without requests in the background: the provider watches the service for changes.
  if (request.path.endsWith('/evaluate/v1/batch')) requests += 1;
});

/** Counts the evaluation requests of this process, to any service. Node announces each request. */
export const requestsSent = () => requests;

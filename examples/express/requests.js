import { subscribe } from 'node:diagnostics_channel';

let requests = 0;
subscribe('http.client.request.start', ({ request }) => {
  // Requests in the background are not counted. With these, the provider watches Flipt for changes.
  if (request.path.endsWith('/evaluate/v1/batch')) requests += 1;
});

/** How many evaluation requests this process has sent, to any service. Node announces each request. */
export const requestsSent = () => requests;

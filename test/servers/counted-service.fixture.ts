import { answerJson, answering, item, orMissing, scriptedServer } from './scripted.fixture.js';

/** Starts a service that counts polls and whole snapshots. Its state is the variant of one flag. */
export async function countedService() {
  const counts = { polls: 0, whole: 0, lastPoller: 0 };
  const service = { state: 1 };
  const server = await scriptedServer(
    answering(orMissing(() => item.variant('state', String(service.state)))),
    undefined,
    ({ headers }, response) => {
      const { state } = service;
      const etag = `state-${state}`;
      counts.polls++;
      counts.lastPoller = Number(headers['x-process']);
      if (headers['if-none-match'] === etag) {
        response.writeHead(304, { etag }).end();
        return;
      }
      counts.whole++;
      response.setHeader('etag', etag);
      answerJson(response, { namespace: { key: 'default' }, flags: [flag(state)] });
    },
  );
  return { ...server, counts, service };
}

/** A flag whose default variant is the state. */
function flag(state: number): object {
  const variant = { id: 'v', key: String(state), attachment: '' };
  return { key: 'state', type: 'VARIANT_FLAG_TYPE', enabled: true, defaultVariant: variant, rules: [] };
}

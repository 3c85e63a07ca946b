import { createServer } from 'node:http';
import { OpenFeature } from '@openfeature/server-sdk';

/** Creates the server to test. Two flags decide its answer. */
export function createCheckout() {
  return createServer(async (request, response) => {
    const { searchParams } = new URL(request.url, 'http://localhost');
    const context = { targetingKey: searchParams.get('user') ?? '' };
    const client = OpenFeature.getClient();
    const checkout = (await client.getBooleanValue('new-checkout', false, context)) ? 'new' : 'old';
    const payment = await client.getStringValue('payment', 'card', context);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ checkout, payment }));
  });
}

export const FLAG_KEYS = ['new-checkout', 'button-color', 'limits', 'holiday-banner'];

/** Resolves every flag of this app, each with its default. */
export async function resolveFlags(client, context) {
  const [newCheckout, buttonColor, limits, banner] = await Promise.all([
    client.getBooleanDetails('new-checkout', false, context),
    client.getStringDetails('button-color', 'grey', context),
    client.getObjectDetails('limits', { projects: 1, support: 'none' }, context),
    client.getStringDetails('holiday-banner', 'none', context),
  ]);
  return { newCheckout, buttonColor, limits, banner };
}

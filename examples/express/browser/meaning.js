/** What users get now, in a sentence. */
export function meaningOf(service, modes) {
  const flags = modes.flatMap(({ people }) => people.flat());
  const failed = flags.filter(({ reason }) => reason === 'ERROR').length;
  const isReady = modes.every(({ condition }) => condition === 'ready');
  if (failed > 0) return `${failed} of ${flags.length} answers below are the app’s defaults.`;
  if (service?.isRunning === false) {
    return (
      'Everybody still gets their flags: known users keep their answers, and new ones are evaluated in this ' +
      'process, from the last snapshot of Flipt.'
    );
  }
  return isReady
    ? 'Remote: one request for each new user, then the cache answers. In-process: no requests for users at all.'
    : 'Flipt is back; the providers are about to notice.';
}

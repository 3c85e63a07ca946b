const failedOf = (flags) => flags.filter(({ reason }) => reason === 'ERROR').length;

/** What users get now: a few words for the heading, and a sentence. */
export function meaningOf(service, modes) {
  const flags = modes.flatMap(({ people }) => people.flat());
  const failed = failedOf(flags);
  const isStopped = service?.isRunning === false;
  return { heading: headingOf(isStopped, failed), sentence: sentenceOf(isStopped, failed, flags, modes) };
}

function headingOf(isStopped, failed) {
  if (!isStopped) return ': stop it, nobody loses a flag';
  return failed > 0 ? '' : ': nobody has lost a flag';
}

function sentenceOf(isStopped, failed, flags, modes) {
  if (failed > 0) return `${failed} of ${flags.length} answers below are the app’s defaults.`;
  if (isStopped) {
    return (
      `All ${flags.length} flags below still have their answer: known users keep theirs, and new users are evaluated ` +
      'in this process, from the last snapshot of Flipt.'
    );
  }
  return modes.every(({ condition }) => condition === 'ready')
    ? 'Remote: one request for each new user, then the cache answers. In-process: no requests for users at all.'
    : 'Flipt is back; the providers are about to notice.';
}

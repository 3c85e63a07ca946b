const countOf = (modes) => modes.flatMap(({ people }) => people.flat()).length;
const failedOf = (modes) =>
  modes.flatMap(({ people }) => people.flat()).filter(({ reason }) => reason === 'ERROR').length;

/** Says what users get now: a few words for the heading, and a sentence. */
export function meaningOf(service, modes) {
  const isStopped = service?.isRunning === false;
  const ours = modes.filter(({ isOurs }) => isOurs);
  const theirs = modes.filter(({ isOurs }) => !isOurs);
  const failed = failedOf(ours);
  return { heading: headingOf(isStopped, failed), sentence: sentenceOf(isStopped, failed, ours, theirs) };
}

function headingOf(isStopped, failed) {
  if (!isStopped) return ': stop it, nobody loses a flag';
  return failed > 0 ? '' : ': nobody has lost a flag';
}

function sentenceOf(isStopped, failed, ours, theirs) {
  if (failed > 0) return `${failed} of ${countOf(ours)} answers of this provider are the app’s defaults.`;
  if (isStopped) {
    return (
      `This provider still answers all ${countOf(ours)} flags below. With the existing provider, ` +
      `${failedOf(theirs)} of ${countOf(theirs)} have fallen to the app’s defaults.`
    );
  }
  return ours.every(({ condition }) => condition === 'ready')
    ? 'Remote: one request for each new user, then the cache answers. In-process: no requests for users at all.'
    : 'Flipt is back; the providers are about to notice.';
}

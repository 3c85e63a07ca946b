const countOf = (modes) => modes.flatMap(({ people }) => people.flat()).length;
const failedOf = (modes) =>
  modes.flatMap(({ people }) => people.flat()).filter(({ reason }) => reason === 'ERROR').length;

/**
 * Says what users get now: a few words for the heading, and a sentence. `before` are the flags of the first person that
 * the existing provider last answered without an error, if this page has seen them.
 */
export function meaningOf(service, modes, { user, before }) {
  const isStopped = service?.isRunning === false;
  const ours = modes.filter(({ isOurs }) => isOurs);
  const theirs = modes.filter(({ isOurs }) => !isOurs);
  const failed = failedOf(ours);
  return {
    heading: headingOf(isStopped, failed),
    sentence: sentenceOf(isStopped, failed, ours, theirs, user, before),
  };
}

function headingOf(isStopped, failed) {
  if (!isStopped) return ': stop it, and watch the three shops';
  return failed > 0 ? '' : ': with this provider, nobody has lost a flag';
}

function sentenceOf(isStopped, failed, ours, theirs, user, before) {
  if (failed > 0) return `${failed} of ${countOf(ours)} answers of this provider are the app’s defaults.`;
  if (isStopped) {
    return (
      `This provider still gives all ${countOf(ours)} values. With the existing provider, ` +
      `${failedOf(theirs)} of ${countOf(theirs)} are errors with the app’s defaults${otherValues(theirs, user, before)}.`
    );
  }
  return ours.every(({ condition }) => condition === 'ready')
    ? 'Remote: one request for each new user, then the cache answers. In-process: no requests for users at all.'
    : 'Flipt is back; the providers are about to notice.';
}

/** Says how many values of the first person the outage has changed, because a default may happen to be the same. */
function otherValues([{ people }], user, before) {
  if (before === undefined) return '';
  const valueBefore = new Map(before.map(({ flagKey, value }) => [flagKey, JSON.stringify(value)]));
  const others = people[0].filter(({ flagKey, value }) => JSON.stringify(value) !== valueBefore.get(flagKey));
  return `, and ${user} has another value than before for ${others.length} of ${people[0].length} flags`;
}

/** The flags of the first person with the existing provider, or `undefined` if some of them are errors. */
export function answeredByExisting(modes) {
  const [flags] = modes.find(({ isOurs }) => !isOurs).people;
  return flags.some(({ reason }) => reason === 'ERROR') ? undefined : flags;
}

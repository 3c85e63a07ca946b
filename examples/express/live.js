import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk';
import { FLAG_KEYS, resolveFlags } from './flags.js';
import { visitor } from './session.js';

const AGES_EVERY_MS = 1_000;
const EVENTS = [
  ProviderEvents.Ready,
  ProviderEvents.Stale,
  ProviderEvents.Error,
  ProviderEvents.ConfigurationChanged,
];

/**
 * Answers `GET /events` with all that the page shows, as server-sent events, and sends it again as soon as something
 * changes. `modes` are the providers, each with its OpenFeature domain; the first is ours, in remote mode. `flipt` is
 * `undefined` if Flipt runs in another process.
 */
export function live(modes, flipt) {
  const pages = new Set();
  let newcomers = 0;
  const resolved = new Map(modes.map(({ name }) => [name, 0]));
  const counts = new Map(modes.map((mode) => [mode.name, countsOf(mode)]));

  const changed = () => {
    // Nobody has asked for this user before, so that the page shows what a change, or an outage, means for new
    // visitors.
    newcomers += 1;
    for (const show of pages) show();
  };
  for (const { domain } of modes) {
    for (const event of EVENTS) OpenFeature.getClient(domain).addHandler(event, changed);
  }
  flipt?.onChange(changed);

  const resolve = async ({ name, domain }, { user, plan }) => {
    const flags = await resolveFlags(OpenFeature.getClient(domain), { targetingKey: user, plan });
    resolved.set(name, resolved.get(name) + FLAG_KEYS.length);
    return Object.values(flags).map(shown);
  };
  const modeState = async (mode, people) => {
    const flags = await Promise.all(people.map((person) => resolve(mode, person)));
    const { name, title } = mode;
    return {
      name,
      title,
      resolved: resolved.get(name),
      ...statusOf(mode),
      ...counts.get(name)(),
      people: flags,
    };
  };
  const stateFor = async (person) => {
    const people = [person, { user: `visitor-${newcomers}`, plan: 'free' }];
    const states = await Promise.all(modes.map((mode) => modeState(mode, people)));
    const snapshot = await modes[0].provider.getSnapshot();
    const switches = (snapshot?.flags ?? []).map((flag) => switchOf(flag, states[0].people[0]));
    const service = flipt && { isRunning: flipt.isRunning(), problem: flipt.problem() };
    return { people, modes: states, switches, service };
  };

  return (req, res) => {
    res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    res.flushHeaders();
    const person = visitor(req);
    let isSending = false;
    let isOutdated = false;
    const show = async () => {
      isOutdated = true;
      // A page that has stopped reading gets only the newest state when it reads again.
      if (isSending || res.writableNeedDrain) return;
      isSending = true;
      while (isOutdated && pages.has(show)) {
        isOutdated = false;
        const state = await stateFor(person);
        res.write(`data: ${JSON.stringify(state)}\n\n`);
      }
      isSending = false;
    };
    pages.add(show);
    const ages = setInterval(show, AGES_EVERY_MS);
    res.on('close', () => {
      clearInterval(ages);
      pages.delete(show);
    });
    void show();
  };
}

/** The state of a mode's provider. The existing provider has no `getStatus`. */
function statusOf({ domain, provider, pollMs, requests }) {
  if (requests)
    return { isOurs: false, condition: OpenFeature.getClient(domain).providerStatus.toLowerCase() };
  return { isOurs: true, condition: provider.getStatus().condition, pollMs };
}

/**
 * Counts from now on how many requests a mode's provider sends to Flipt because somebody needs a flag (`requests`), and
 * how many it sends in the background: polls of the snapshot, health checks and a question for the version
 * (`background`). The existing provider sends nothing in the background.
 */
function countsOf({ provider, requests: sentByExisting }) {
  if (sentByExisting) return () => ({ requests: sentByExisting() });
  const sent = () => provider.getStatus().requests.sent;
  const before = sent();
  let requests = 0;
  provider.onEvent(() => (requests += 1), ['batch-sent', 'retry']);
  return () => ({ requests, background: Math.max(0, sent() - before - requests) });
}

/**
 * A switch on the page. A boolean flag counts as on if this user gets `true`, because its rules decide, whatever
 * `enabled` says.
 */
function switchOf({ key, type, enabled = false }, resolved) {
  const isBoolean = type === 'BOOLEAN_FLAG_TYPE';
  const own = resolved.find(({ flagKey }) => flagKey === key);
  return { key, isBoolean, isOn: isBoolean && own ? own.value : enabled };
}

function shown({ flagKey, value, variant = '', reason, flagMetadata, errorCode }) {
  const { source = '', ageMs = 0 } = flagMetadata;
  return { flagKey, value, variant, reason, source: errorCode ?? source, ageMs };
}

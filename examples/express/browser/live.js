import { flagsTable, ignoresVariant, write } from './flags-table.js';
import { answeredByExisting, meaningOf } from './meaning.js';

/*
 * Shows what the server sends, and sends each press of a button to it. Text from features is added as text, never as
 * HTML.
 */

const find = (id) => document.getElementById(id);
const say = (news) => {
  find('news').textContent = news;
};

const table = flagsTable(find('modes'));
let events;
/** What the existing provider last answered for the person of this page without an error. */
let before;

function follow() {
  events?.close();
  before = undefined;
  events = new EventSource(`/events${location.search}`);
  events.onmessage = ({ data }) => {
    show(JSON.parse(data));
  };
  events.onerror = () => {
    find('running').textContent = 'The app does not answer';
    find('running').dataset.state = 'error';
    find('promise').textContent = ': is it still running?';
  };
}

function show({ people, modes, switches, service }) {
  const [{ user, plan }] = people;
  for (const mode of modes) showWindow(mode, `Hello ${user} (${plan})`, modes[0].people[0]);
  for (const button of document.querySelectorAll('[data-user]')) {
    // The page of a guest has no button that could show “logged out” as its state.
    if (button.dataset.user !== 'guest') {
      button.setAttribute('aria-pressed', String(button.dataset.user === user));
    }
  }
  if (service) showService(service, switches);
  before = answeredByExisting(modes) ?? before;
  const { heading, sentence } = meaningOf(service, modes, { user, before });
  find('promise').textContent = heading;
  find('meaning').textContent = sentence;
  const changes = table.show(people, modes);
  if (changes.length > 0) say(changes.join('; '));
}

/** Shows the shop as a user sees it whose flags come from this mode's provider. */
function showWindow({ name, condition, isOurs, people: [flags] }, hello, ours) {
  const shop = document.querySelector(`[data-mode="${name}"]`);
  const valueOf = (key) => flags.find(({ flagKey }) => flagKey === key).value;
  const put = (part, text) => write(shop.querySelector(`.${part}`), text);
  const { projects, support } = valueOf('limits');
  put('hello', hello);
  put('limits', `You may have ${projects} projects. Support: ${support}.`);
  put('banner', valueOf('holiday-banner') === 'none' ? '' : `Happy holidays: ${valueOf('holiday-banner')}`);
  put('buy', valueOf('new-checkout') ? 'Buy with one click' : 'To the checkout');
  shop.querySelector('.buy').style.background = valueOf('button-color');
  const lost = flags.filter(({ reason }) => reason === 'ERROR').length;
  shop.dataset.state = lost > 0 ? 'error' : isOurs ? condition : 'unwatched';
  const isIgnored = flags.some((flag) => ignoresVariant(isOurs, flag, ours));
  put('outcome', outcomeOf(lost, flags.length, isOurs && condition, isIgnored));
}

function outcomeOf(lost, count, condition, isIgnored) {
  if (lost > 0) return `${lost} of ${count} flags lost: app’s defaults`;
  if (condition === 'ready') return 'Has what Flipt has';
  if (condition) return 'Flipt is gone, the user notices nothing';
  return isIgnored ? 'Ignores Flipt’s default variants' : 'Asks Flipt for each flag';
}

function showService({ isRunning, problem }, switches) {
  const state = find('running');
  state.textContent = isRunning ? 'Flipt is up' : 'Flipt is stopped';
  state.dataset.state = isRunning ? 'ready' : 'error';
  find('flipt').textContent = isRunning ? 'Stop Flipt' : 'Start Flipt';
  find('hint').hidden = !isRunning;
  find('stopped-hint').hidden = isRunning;
  find('problem').textContent = problem ? `features.yml is wrong; the old features stay:\n${problem}` : '';
  for (const { key, isBoolean, isOn } of switches) {
    const button = switchOf(key, isBoolean);
    button.setAttribute('aria-checked', String(isOn));
    button.disabled = !isRunning;
  }
  for (const button of find('switches').children) {
    button.hidden = !switches.some(({ key }) => key === button.dataset.flag);
  }
}

function switchOf(key, isBoolean) {
  const known = [...find('switches').children].find((button) => button.dataset.flag === key);
  if (known) return known;
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.flag = key;
  button.setAttribute('role', 'switch');
  button.textContent = key;
  button.addEventListener('click', () => {
    void send(`/flags/${encodeURIComponent(key)}`, {
      isBoolean,
      isOn: button.getAttribute('aria-checked') !== 'true',
    });
  });
  find('switches').append(button);
  return button;
}

async function send(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) say(await response.text());
}

find('flipt').addEventListener('click', () => {
  void send('/flipt', { running: find('flipt').textContent === 'Start Flipt' });
});
for (const button of document.querySelectorAll('[data-user]')) {
  button.addEventListener('click', async () => {
    await send('/session', { user: button.dataset.user });
    history.replaceState(null, '', '/');
    follow();
    window.dispatchEvent(new CustomEvent('user', { detail: button.dataset.user }));
  });
}
follow();

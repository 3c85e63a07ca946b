import { byId, element, isolated, setOptions } from './elements.js';
import { flagCard } from './flag-card.js';
import { explain, follow, isAccepted, readNamespaces, readRefused, setValue, useToken } from './service.js';

/** How many flags of a namespace are shown at once. The filter finds the others. */
const MOST_SHOWN = 200;

let namespaces = [];
/** The question whose explanation is shown; undefined before the first question. */
let asked;
/** The cards by namespace and key. A card is used again, so that it keeps the focus. */
const cards = new Map();

byId('address').textContent = location.origin;

byId('login-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId('token');
  useToken(field.value);
  field.value = '';
  void start('The service does not accept this token.');
});
byId('filter').addEventListener('input', showFlags);
byId('namespace').addEventListener('change', showChoices);
byId('why-form').addEventListener('submit', (event) => {
  event.preventDefault();
  asked = questionOfForm();
  void showExplanation();
});

void start('');

async function start(problem) {
  const accepted = await isAccepted();
  byId('login').hidden = accepted;
  byId('content').hidden = !accepted;
  if (accepted) {
    void follow(changed, () => say('No connection to the service; trying again'));
    return;
  }
  byId('login-problem').textContent = problem;
  say('Waiting for a token');
  byId('token').focus();
}

function say(words) {
  const status = byId('status');
  if (status.textContent !== words) status.textContent = words;
  status.classList.toggle('live', words.startsWith('Live'));
}

let reading = false;
let isOutdated = false;

/** Reads everything again. If there are more changes meanwhile, it reads once more after that. */
async function changed() {
  isOutdated = true;
  if (reading) return;
  reading = true;
  try {
    while (isOutdated) {
      isOutdated = false;
      namespaces = await readNamespaces();
      byId('refused').textContent = await readRefused();
    }
    showFlags();
    showChoices();
    say('Live: changes show at once');
    await showExplanation();
  } catch (error) {
    byId('problem').textContent = error.message;
  } finally {
    reading = false;
  }
}

function showFlags() {
  const words = byId('filter').value.trim().toLowerCase();
  const fits = ({ key, name }) => `${key} ${name}`.toLowerCase().includes(words);
  const sections = namespaces.map(({ key, flags }) => sectionOf(key, flags.filter(fits)));
  const list = byId('namespaces');
  // An element that is moved loses the focus, so the list is replaced only if it differs.
  if (sections.length !== list.children.length || sections.some((one, at) => one !== list.children[at])) {
    list.replaceChildren(...sections);
  }
}

const sections = new Map();

function sectionOf(namespace, flags) {
  const found = sections.get(namespace) ?? newSection(namespace);
  sections.set(namespace, found);
  const shown = flags.slice(0, MOST_SHOWN).map((flag) => cardOf(namespace, flag));
  const { grid, more } = found;
  if (shown.length !== grid.children.length || shown.some((card, at) => card !== grid.children[at])) {
    grid.replaceChildren(...shown);
  }
  const hidden = flags.length - shown.length;
  more.textContent = hidden > 0 ? `and ${hidden} more: the filter finds them` : '';
  if (flags.length === 0) more.textContent = 'No flags.';
  return found.section;
}

function newSection(namespace) {
  const grid = element('div', { className: 'cards' });
  const more = element('p', { className: 'hint' });
  const title = element('h3', {}, 'Namespace ', isolated(namespace));
  return { section: element('section', {}, title, grid, more), grid, more };
}

function cardOf(namespace, flag) {
  const id = JSON.stringify([namespace, flag.key]);
  const shown = cards.get(id);
  if (shown !== undefined) {
    shown.update(flag);
    return shown.card;
  }
  const made = flagCard(
    flag,
    (value) => void choose(namespace, flag.key, value),
    () => ask(namespace, flag.key),
  );
  cards.set(id, made);
  return made.card;
}

async function choose(namespace, flag, value) {
  try {
    byId('problem').textContent = '';
    await setValue(namespace, flag, value);
  } catch (error) {
    byId('problem').textContent = error.message;
  }
  await changed();
}

function showChoices() {
  setOptions(
    byId('namespace'),
    namespaces.map(({ key }) => [key, key]),
  );
  const { flags = [] } = namespaces.find(({ key }) => key === byId('namespace').value) ?? {};
  setOptions(
    byId('flag'),
    flags.map(({ key }) => [key, key]),
  );
}

/** Fills the form for the flag whose “Why?” was pressed, and asks. */
function ask(namespace, flag) {
  byId('namespace').value = namespace;
  showChoices();
  byId('flag').value = flag;
  byId('entity').focus();
  asked = questionOfForm();
  void showExplanation();
}

function questionOfForm() {
  const lines = byId('context').value.split('\n');
  const context = lines.flatMap((line) => {
    const at = line.indexOf('=');
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
  return {
    namespace: byId('namespace').value,
    flag: byId('flag').value,
    entity: byId('entity').value,
    context: Object.fromEntries(context),
  };
}

let shownText = '';

async function showExplanation() {
  const current = asked;
  if (current === undefined) return;
  const { namespace, ...question } = current;
  const { text } = await explain(namespace, question).catch((error) => ({ text: error.message }));
  // Somebody has asked another question meanwhile, so this answer is out of date.
  if (current !== asked) return;
  // An unchanged text stays, so that a screen reader does not read it again.
  if (text === shownText) return;
  shownText = text;
  const [subject = '', answer = '', decision = '', ...steps] = text.split('\n');
  byId('explanation').replaceChildren(
    element('p', { className: 'answer' }, answer),
    element('p', {}, decision),
    element('pre', { tabIndex: 0, role: 'region', 'aria-label': 'What was compared' }, steps.join('\n')),
    element('p', { className: 'hint' }, subject),
  );
}

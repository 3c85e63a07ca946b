/** At once. The filter finds the others. */
const MOST_SHOWN = 200;
/** More buttons do not fit next to each other: then a list is shown. */
const MOST_BUTTONS = 4;
const AGAIN_MS = 1000;

/** In memory only. */
let token = '';
let namespaces = [];
/** The question whose explanation is shown; undefined before the first one. */
let asked;
let explained = '';
/** The ids of the rules that are unfolded. */
const unfolded = new Set();

byId('address').textContent = location.origin;
byId('filter').addEventListener('input', showFlags);
byId('namespace').addEventListener('change', showChoices);
byId('why-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void ask();
});
byId('login-form').addEventListener('submit', (event) => {
  event.preventDefault();
  token = byId('token').value;
  byId('token').value = '';
  // A browser sends no other letters in a header.
  const foreign = /[^\x20-\x7e]/.exec(token)?.[0];
  byId('login-problem').textContent = foreign === undefined ? '' : `No token has the letter “${foreign}”.`;
  if (foreign === undefined) void follow('The service does not accept this token.');
});
void follow('');

/** At once and after each change, until the service wants a token. */
async function follow(refused) {
  for (;;) {
    try {
      if (!(await read())) {
        byId('login-problem').textContent = refused;
        byId('token').focus();
        return;
      }
      // An EventSource cannot send a token.
      const changes = (await request('GET', '/local/v1/changes')).body.getReader();
      while (!(await changes.read()).done) await read();
    } catch {
      // The service has ended, or is restarting.
    }
    say('No connection to the service; trying again');
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** `false` if the service wants another token. */
async function read() {
  const state = await (await request('GET', '/local/v1/state')).json();
  byId('login').hidden = state.accepted;
  byId('content').hidden = !state.accepted;
  if (!state.accepted) {
    say('Waiting for a token');
    return false;
  }
  ({ namespaces } = state);
  byId('refused').textContent = state.refused;
  byId('problem').textContent = '';
  byId('login-problem').textContent = '';
  say('Live: changes show at once');
  showFlags();
  showChoices();
  await explain();
  return true;
}

async function request(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => {
    // Each browser has its own message, and none says who has failed.
    throw new Error('The service does not answer. Is it running?');
  });
  if (!response.ok) throw new Error((await response.json()).message);
  return response;
}

const pathOf = (namespace, rest) => `/local/v1/namespaces/${encodeURIComponent(namespace)}/${rest}`;

/** With `undefined`, the flag's rules decide again. */
async function choose(namespace, flag, value) {
  const path = pathOf(namespace, `flags/${encodeURIComponent(flag)}`);
  const changing = value === undefined ? request('DELETE', path) : request('PUT', path, { value });
  byId('problem').textContent = await changing.then(
    () => '',
    (error) => error.message,
  );
}

function say(words) {
  const status = byId('status');
  // A screen reader says an unchanged text again.
  if (status.textContent !== words) status.textContent = words;
  status.classList.toggle('live', words.startsWith('Live'));
}

function showFlags() {
  const words = byId('filter').value.trim().toLowerCase();
  const sections = namespaces.map(({ key, flags }) => {
    const found = flags.filter((flag) => `${flag.key} ${flag.name}`.toLowerCase().includes(words));
    const cards = found.slice(0, MOST_SHOWN).map((flag) => card(key, flag));
    const more = found.length - cards.length;
    const hint = more > 0 ? `and ${more} more: the filter finds them` : found.length === 0 ? 'No flags.' : '';
    return element(
      'section',
      {},
      element('h3', {}, 'Namespace ', isolated(key)),
      element('div', { className: 'cards' }, ...cards),
      element('p', { className: 'hint' }, hint),
    );
  });
  const focused = document.activeElement.id;
  byId('namespaces').replaceChildren(...sections);
  if (focused !== '') byId(focused)?.focus({ preventScroll: true });
}

function card(namespace, flag) {
  const about = [flag.name === flag.key ? '' : flag.name, flag.description]
    .filter((text) => text !== '')
    .join(' · ');
  const steps = flag.words.steps.map(({ text, segments }) => {
    const nested = segments.map((segment) =>
      item(
        segment.text,
        segment.constraints.map((text) => item(text)),
      ),
    );
    return item(text, nested);
  });
  const id = (part) => JSON.stringify([namespace, flag.key, part]);
  // For people who hear the page, and do not see where the button is.
  const named = () => element('span', { className: 'unseen' }, ' of ', isolated(flag.key));
  const rules = element('ul', { className: 'rules' }, ...steps, item(flag.words.otherwise));
  const summary = element('summary', { id: id('rules') }, 'Rules', named());
  const details = element('details', { open: unfolded.has(summary.id) }, summary, rules);
  details.addEventListener('toggle', () => unfolded[details.open ? 'add' : 'delete'](summary.id));
  const why = element('button', { type: 'button', className: 'quiet', id: id('why') }, 'Why? ', named());
  why.addEventListener('click', () => {
    byId('namespace').value = namespace;
    showChoices();
    byId('flag').value = flag.key;
    byId('entity').focus();
    void ask();
  });
  return element(
    'article',
    { className: flag.value === undefined ? '' : 'overridden' },
    element('h4', {}, isolated(flag.key)),
    element('p', { className: 'state' }, ...stateOf(flag)),
    control(flag, id, named, (value) => void choose(namespace, flag.key, value)),
    element('p', { className: 'about', hidden: about === '' }, isolated(about)),
    details,
    why,
  );
}

function item(text, nested = []) {
  return element('li', {}, text, nested.length === 0 ? '' : element('ul', {}, ...nested));
}

function stateOf({ type, enabled, value, forSome, words }) {
  const some = forSome > 0 ? `, and set for ${forSome} ${forSome === 1 ? 'user' : 'users'}` : '';
  if (value !== undefined) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return ['Set to ', element('strong', {}, isolated(text)), ` for everybody${some}`];
  }
  const [on, off] = type === 'boolean' ? ['on', 'off'] : ['enabled', 'disabled'];
  const isByRules = words.steps.length > 0 && (type === 'boolean' || enabled);
  return [element('strong', {}, enabled ? on : off), `${isByRules ? ', by its rules' : ''}${some}`];
}

function control({ key, type, variants, value }, id, named, chosen) {
  const isBoolean = type === 'boolean';
  const values = isBoolean ? [true, false] : variants;
  const labelOf = (each) => (isBoolean ? (each ? 'on' : 'off') : each);
  const choices = [['By its rules', undefined], ...values.map((each) => [labelOf(each), each])];
  if (values.length > MOST_BUTTONS) {
    const select = element('select', { 'aria-label': `What ${key} is`, dir: 'auto', id: id('value') });
    select.append(...choices.map(([label], at) => element('option', { value: String(at) }, label)));
    select.value = String(choices.findIndex(([, each]) => each === value));
    select.addEventListener('change', () => chosen(choices[Number(select.value)][1]));
    return element('div', { className: 'control' }, select);
  }
  const buttons = choices.map(([label, each]) => {
    const pressed = { type: 'button', id: id(`value ${label}`), 'aria-pressed': String(each === value) };
    const button = element('button', pressed, isolated(label), named());
    button.addEventListener('click', () => chosen(each));
    return button;
  });
  return element('div', { className: 'control', role: 'group', 'aria-label': `What ${key} is` }, ...buttons);
}

function showChoices() {
  setOptions(byId('namespace'), namespaces);
  const { flags = [] } = namespaces.find(({ key }) => key === byId('namespace').value) ?? {};
  setOptions(byId('flag'), flags);
}

/** The chosen option stays if it still exists. */
function setOptions(select, options) {
  const before = select.value;
  const keys = options.map(({ key }) => key);
  if (JSON.stringify(keys) === JSON.stringify(Array.from(select.options, ({ value }) => value))) return;
  select.replaceChildren(...keys.map((value) => element('option', { value }, value)));
  if (keys.includes(before)) select.value = before;
}

function ask() {
  const pairs = byId('context')
    .value.split('\n')
    .map((line) => [line, line.indexOf('=')])
    .filter(([, at]) => at > 0)
    .map(([line, at]) => [line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  asked = {
    namespace: byId('namespace').value,
    question: { flag: byId('flag').value, entity: byId('entity').value, context: Object.fromEntries(pairs) },
  };
  return explain();
}

async function explain() {
  const current = asked;
  if (current === undefined) return;
  const answered = request('POST', pathOf(current.namespace, 'explanations'), current.question);
  const { text } = await answered.then(
    (response) => response.json(),
    (error) => ({ text: `\n${error.message}` }),
  );
  // Somebody has asked another question meanwhile, or a screen reader would say the same text again.
  if (current !== asked || text === explained) return;
  explained = text;
  const [subject = '', answer = '', decision = '', ...steps] = text.split('\n');
  byId('explanation').replaceChildren(
    element('p', { className: 'answer' }, answer),
    element('p', {}, decision),
    element('pre', { tabIndex: 0, role: 'region', 'aria-label': 'What was compared' }, steps.join('\n')),
    element('p', { className: 'hint' }, subject),
  );
}

function byId(id) {
  return document.getElementById(id);
}

/** Properties, attributes (names with a dash, and `role`) and children. Text is never HTML. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/** A text with another writing direction would reverse the text around it. */
function isolated(text) {
  return element('bdi', {}, text);
}

import { element, isolated, setOptions } from './elements.js';

/** If a flag has more values, they are in a list, because more buttons do not fit next to each other. */
const MOST_BUTTONS = 4;
const BY_RULES = 'By its rules';

/**
 * Shows a flag on the page. The card calls `choose(value)` when somebody chooses a value, and `ask()` when somebody
 * presses “Why?”.
 */
export function flagCard(flag, choose, ask) {
  const state = element('p', { className: 'state' });
  const about = element('p', { className: 'about' });
  const rules = element('ul', { className: 'rules' });
  const control = element('div', { className: 'control' });
  const why = element('button', { type: 'button', className: 'quiet' }, 'Why? ', named(flag));
  why.addEventListener('click', ask);
  const card = element(
    'article',
    {},
    element('h4', {}, isolated(flag.key)),
    state,
    control,
    about,
    element('details', {}, element('summary', {}, 'Rules', named(flag)), rules),
    why,
  );
  let showChoice;
  let choices = '';

  const update = (next) => {
    card.classList.toggle('overridden', next.value !== undefined);
    state.replaceChildren(...stateOf(next));
    about.replaceChildren(
      isolated(
        [next.name === next.key ? '' : next.name, next.description]
          .filter((words) => words !== '')
          .join(' · '),
      ),
    );
    about.hidden = about.textContent === '';
    rules.replaceChildren(...next.words.steps.map(stepItem), element('li', {}, next.words.otherwise));
    const possible = JSON.stringify([next.type, next.variants]);
    if (possible !== choices) {
      choices = possible;
      showChoice = choiceIn(control, next, choose);
    }
    showChoice(next.value);
  };
  update(flag);
  return { card, update };
}

/** Adds the flag's key to a button for people who hear the page, because they do not see where the button is. */
function named(flag) {
  return element('span', { className: 'unseen' }, ' of ', isolated(flag.key));
}

function stateOf({ type, enabled, value, forSome, words }) {
  const some = forSome > 0 ? `, and set for ${forSome} ${forSome === 1 ? 'user' : 'users'}` : '';
  if (value !== undefined)
    return ['Set to ', element('strong', {}, isolated(shown(value))), ` for everybody${some}`];
  const state = type === 'boolean' ? (enabled ? 'on' : 'off') : enabled ? 'enabled' : 'disabled';
  const isByRules = words.steps.length > 0 && (type === 'boolean' || enabled);
  return [element('strong', {}, state), `${isByRules ? ', by its rules' : ''}${some}`];
}

function shown(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function stepItem({ text, segments }) {
  const nested = segments.map(({ text: words, constraints }) =>
    element('li', {}, words, list(constraints.map((constraint) => element('li', {}, constraint)))),
  );
  return element('li', {}, text, list(nested));
}

function list(items) {
  return items.length === 0 ? '' : element('ul', {}, ...items);
}

/** Fills the control with the possible values, and returns a function that shows the chosen value. */
function choiceIn(control, flag, choose) {
  const values =
    flag.type === 'boolean'
      ? [
          ['on', true],
          ['off', false],
        ]
      : flag.variants.map((key) => [key, key]);
  const choices = [[BY_RULES, undefined], ...values];
  return choices.length - 1 <= MOST_BUTTONS
    ? buttonsIn(control, flag, choices, choose)
    : selectIn(control, flag, choices, choose);
}

function buttonsIn(control, flag, choices, choose) {
  const buttons = choices.map(([label, value]) => {
    const button = element('button', { type: 'button' }, isolated(label), named(flag));
    button.addEventListener('click', () => choose(value));
    return { button, value };
  });
  control.setAttribute('role', 'group');
  control.setAttribute('aria-label', `What ${flag.key} is`);
  control.replaceChildren(...buttons.map(({ button }) => button));
  return (set) => {
    for (const { button, value } of buttons) button.setAttribute('aria-pressed', String(value === set));
  };
}

function selectIn(control, flag, choices, choose) {
  const select = element('select', { 'aria-label': `What ${flag.key} is`, dir: 'auto' });
  setOptions(
    select,
    choices.map(([label], at) => [String(at), label]),
  );
  select.addEventListener('change', () => choose(choices[Number(select.value)][1]));
  control.removeAttribute('role');
  control.removeAttribute('aria-label');
  control.replaceChildren(select);
  return (set) => {
    select.value = String(choices.findIndex(([, value]) => value === set));
  };
}

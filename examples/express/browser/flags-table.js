const HEAD = ['value', 'reason'];

/** Fills a table with the flags of all modes side by side. It keeps the cells, and marks those that change. */
export function flagsTable(table) {
  const cells = new Map();

  const build = (people, modes) => {
    table.replaceChildren();
    cells.clear();
    const head = table.createTHead();
    head.setAttribute('role', 'rowgroup');
    const [first, second] = [rowOf(head), rowOf(head)];
    first.append(header('', 'col', { rowSpan: 2 }, 'flag'));
    for (const { name } of modes) {
      const title = header(`mode ${name}`, 'colgroup', { colSpan: HEAD.length });
      title.append(
        part(cells, name, 'title'),
        part(cells, name, 'condition'),
        part(cells, name, 'counts'),
        part(cells, name, 'polls'),
        part(cells, name, 'pace'),
      );
      first.append(title);
      for (const text of HEAD) second.append(header('column', 'col', {}, text));
    }
    for (const [at] of people.entries()) {
      const body = table.createTBody();
      body.setAttribute('role', 'rowgroup');
      const person = header('person', 'rowgroup', { colSpan: 1 + modes.length * HEAD.length });
      person.append(part(cells, at, 'person'));
      rowOf(body).append(person);
      for (const { flagKey } of modes[0].people[at]) {
        const row = rowOf(body);
        row.append(header('', 'row', {}, flagKey));
        for (const { name } of modes) {
          const value = cellOf(row, name);
          value.append(
            part(cells, at, flagKey, name, 'value'),
            part(cells, at, flagKey, name, 'variant'),
            part(cells, at, flagKey, name, 'note'),
          );
          const reason = cellOf(row, '');
          reason.append(part(cells, at, flagKey, name, 'reason'), part(cells, at, flagKey, name, 'source'));
        }
      }
    }
  };

  /** Shows the values, and returns a sentence about what has changed for the first person. */
  const show = (people, modes) => {
    if (cells.size === 0) build(people, modes);
    const changes = [];
    const put = (text, ...path) => putText(cells.get(path.join('\n')), text);
    for (const { name, title, condition, isOurs, resolved, requests, background, pollMs } of modes) {
      put(`${title} `, name, 'title');
      // A provider that does not watch Flipt stays ready, whatever happens to Flipt.
      const isUnwatched = !isOurs && condition === 'ready';
      const isNewCondition = put(
        isUnwatched ? 'ready: it does not watch Flipt' : condition,
        name,
        'condition',
      );
      if (isNewCondition) changes.push(`${name}: ${condition}`);
      cells.get([name, 'condition'].join('\n')).dataset.state = isUnwatched ? 'unwatched' : condition;
      put(`${resolved} flags resolved with ${requests} request${requests === 1 ? '' : 's'}`, name, 'counts');
      put(backgroundOf(background), name, 'polls');
      put(paceOf(pollMs), name, 'pace');
    }
    for (const [at, { user, plan }] of people.entries()) {
      put(at === 0 ? `${user} (${plan})` : `${user} (${plan}), somebody new at each change`, at, 'person');
      for (const { name, isOurs, people: flags } of modes) {
        for (const flag of flags[at]) {
          const { flagKey, value, variant, reason, source, ageMs } = flag;
          const text = textOf(value);
          const isNew = put(text, at, flagKey, name, 'value');
          if (isNew && at === 0) changes.push(`${flagKey} is ${text}`);
          const isIgnored = ignoresVariant(isOurs, flag, modes[0].people[at]);
          const note = isIgnored ? 'the app’s default: this provider ignores Flipt’s default variant' : '';
          put(note === '' ? variantOf(variant, reason) : '', at, flagKey, name, 'variant');
          put(note, at, flagKey, name, 'note');
          put(reason, at, flagKey, name, 'reason');
          cells.get([at, flagKey, name, 'reason'].join('\n')).dataset.reason = reason;
          put(originOf(source, ageMs), at, flagKey, name, 'source');
        }
      }
    }
    return [...new Set(changes)];
  };
  return { show };
}

function variantOf(variant, reason) {
  if (variant !== '') return `variant ${variant}`;
  if (reason === 'DISABLED') return 'switched off';
  return reason === 'ERROR' || reason === 'DEFAULT' ? 'the app’s default' : '';
}

/**
 * Whether the existing provider gives the app's default although Flipt has answered: ours has a variant for the same
 * flag, which is Flipt's default variant.
 */
export function ignoresVariant(isOurs, { flagKey, variant, reason }, ours) {
  const known = ours.find((flag) => flag.flagKey === flagKey);
  return !isOurs && variant === '' && reason === 'DEFAULT' && known.variant !== '';
}

/** Says where a value comes from, and how old it is. The existing provider does not tell. */
function originOf(source, ageMs) {
  if (source === '') return '';
  if (/^[A-Z]/.test(source)) return source;
  // In both modes, the provider evaluates the snapshot that it has. The name is shorter than its source's.
  return `${source === 'in-process' ? 'snapshot' : source}, ${ageOf(ageMs)}`;
}

const backgroundOf = (requests) =>
  requests === undefined ? 'and no polls or checks' : `and ${requests} polls and checks`;

/** Says how often this page polls, which is more often than an app does. */
const paceOf = (pollMs) =>
  pollMs === undefined ? '' : `It polls every ${pollMs / 1_000} s here, not every 15 s.`;

const ageOf = (ms) => (ms < 1_000 ? 'now' : `${Math.round(ms / 1_000)} s ago`);

/*
 * The cells have roles, because a narrow screen shows the tables as lists, and their elements would then lose the
 * meaning of a table.
 */
const ROLES = { row: 'rowheader', rowgroup: 'rowheader', col: 'columnheader', colgroup: 'columnheader' };

function rowOf(part) {
  const row = part.insertRow();
  row.setAttribute('role', 'row');
  return row;
}

function cellOf(row, label) {
  const cell = row.insertCell();
  cell.setAttribute('role', 'cell');
  cell.dataset.label = label;
  return cell;
}

/** Writes JSON that may break after a comma or a colon, but not inside a word. */
export const textOf = (value) =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([{[]) | ([}\]])/g, '$1$2');

function header(className, scope, span, text = '') {
  const cell = Object.assign(document.createElement('th'), { className, scope, ...span });
  cell.setAttribute('role', ROLES[scope]);
  cell.textContent = text;
  return cell;
}

function part(cells, ...path) {
  const span = document.createElement('span');
  span.className = path.at(-1);
  cells.set(path.join('\n'), span);
  return span;
}

/** Writes the text, and returns whether it has replaced another one. */
function putText(span, text) {
  const isPassing = ['source', 'counts', 'polls', 'pace'].includes(span.className);
  return write(span, text, isPassing);
}

/** Writes the text, marks it if it has replaced another one, and returns whether it has. */
export function write(element, text, isPassing = false) {
  if (element.textContent === text) return false;
  const wasThere = element.textContent !== '';
  element.textContent = text;
  if (wasThere && !isPassing) {
    element.classList.remove('changed');
    // Reading this makes the browser begin the animation again.
    void element.offsetWidth;
    element.classList.add('changed');
  }
  return wasThere;
}

/*
 * These functions put all text into the page as a child or a property of an element, never as HTML.
 */

/** Makes an element with properties, attributes (names with a dash, and `role`), and children, which may be text. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/** Isolates a text, so that a text with another writing direction does not reverse the text around it. */
export function isolated(text) {
  return element('bdi', {}, text);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Replaces the options of a select, and keeps the chosen one if it still exists. */
export function setOptions(select, options) {
  const before = select.value;
  const same =
    options.length === select.options.length &&
    options.every(([value, label], at) => {
      const option = select.options[at];
      return option.value === value && option.label === label;
    });
  if (same) return;
  select.replaceChildren(...options.map(([value, label]) => element('option', { value, label }, label)));
  if (options.some(([value]) => value === before)) select.value = before;
}

const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);

/** A user's page: what is on it follows from the flags. */
export function page({ user, plan }, { newCheckout, buttonColor, limits, banner }) {
  const rows = [newCheckout, buttonColor, limits, banner]
    .map(
      ({ flagKey, value, variant = '', reason }) =>
        `<tr><td>${flagKey}<td>${escaped(JSON.stringify(value))}<td>${escaped(variant)}<td>${reason}`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Shop</title>
<h1>Hello ${escaped(user)} (${escaped(plan)})</h1>
${banner.value === 'none' ? '' : `<p>Happy holidays: ${escaped(banner.value)}`}
<p>You may have ${escaped(String(limits.value.projects))} projects. Support: ${escaped(limits.value.support)}.
<p><button style="background: ${escaped(buttonColor.value)}">${
    newCheckout.value ? 'Buy with one click' : 'To the checkout'
  }</button>
<table>
<tr><th>flag<th>value<th>variant<th>reason
${rows}
</table>
</html>
`;
}

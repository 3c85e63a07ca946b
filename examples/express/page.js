const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);

/** Each window shows the shop as a user sees it whose flags come from that provider. */
const WINDOWS = [
  { mode: 'remote', provider: 'openfeature-flipt-provider', how: 'remote' },
  { mode: 'in-process', provider: 'openfeature-flipt-provider', how: 'in-process' },
  { mode: 'existing', provider: '@openfeature/flipt-provider', how: '' },
];

/** Writes the style of the button. A flag decides its color, so it may contain any text and is checked. */
export function buttonStyle({ buttonColor }) {
  const color = /^[a-z]+$/.test(buttonColor.value) ? buttonColor.value : 'grey';
  return `[data-mode='remote'] .buy { background: ${color} }`;
}

/** What the shop says to a user. The app's own provider is the remote one; the others follow in the browser. */
function wordsOf({ user, plan }, { newCheckout, limits, banner }) {
  return {
    hello: `Hello ${user} (${plan})`,
    banner: banner.value === 'none' ? '' : `Happy holidays: ${banner.value}`,
    limits: `You may have ${limits.value.projects} projects. Support: ${limits.value.support}.`,
    buy: newCheckout.value ? 'Buy with one click' : 'To the checkout',
  };
}

function shopWindow({ mode, provider, how }, words) {
  const { hello, banner, limits, buy } =
    mode === 'remote' ? words : { hello: '', banner: '', limits: '', buy: '' };
  return `<section class="window" data-mode="${mode}" aria-labelledby="window-${mode}">
<h2 id="window-${mode}">${provider} <small>${how}</small></h2>
<p class="outcome"></p>
<div class="shop">
<p class="hello">${escaped(hello)}</p>
<p class="limits">${escaped(limits)}</p>
<p class="banner">${escaped(banner)}</p>
<p><button class="buy" type="button">${buy}</button></p>
</div>
</section>`;
}

/** Writes the page of a user. The flags decide what it shows, and browser/live.js keeps it up to date. */
export function page(person, values, canStop) {
  const words = wordsOf(person, values);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>openfeature-flipt-provider: Flipt may stop, flags do not</title>
<link rel="icon" href="/browser/icon.svg">
<link rel="stylesheet" href="/browser/page.css">
<style>${buttonStyle(values)}</style>
<script type="module" src="/browser/live.js"></script>
<script type="module" src="/browser/browser-flags.js"></script>
</head>
<body>
<main>
<header>
<h1>openfeature-flipt-provider</h1>
<p>Feature flags for Node.js that stay fast and right, also while Flipt is down.</p>
</header>

<section class="controls" aria-label="Controls">
<div class="row service" ${canStop ? '' : 'hidden'}><h2 id="service"><span id="running" class="state" data-state="ready">Flipt is up</span><span id="promise">: stop it, and watch the three shops</span></h2>
<button id="flipt" type="button">Stop Flipt</button></div>
<p id="meaning"></p>
<p class="hint" id="hint">${canStop ? 'A switch changes the flag for everybody, at once. So does an edit of <code>examples/express/features.yml</code>.' : 'Change a flag in Flipt: the page follows.'}</p>
<p class="hint" id="stopped-hint" hidden>Flags can be changed when Flipt is up.</p>
<div id="switches" class="row" role="group" aria-label="Switches of the flags"></div>
<p id="problem" role="alert"></p>
<div class="users row" role="group" aria-label="Log in as"><span aria-hidden="true">Log in as</span>
<button type="button" data-user="ada">ada</button>
<button type="button" data-user="grace">grace</button>
<button type="button" data-user="linus">linus</button>
<button type="button" data-user="guest">Log out</button></div>
</section>

<div class="windows">
${WINDOWS.map((each) => shopWindow(each, words)).join('\n')}
</div>

<details id="server">
<summary>All values, reasons and requests of the three providers, also for a new user</summary>
<div class="scrolls" role="group" aria-label="Flags on the server" tabindex="0">
<table id="modes" role="table"><thead role="rowgroup"></thead></table>
</div>
</details>

<details id="client">
<summary>In this browser: OpenFeature’s web SDK follows this app, by an event stream</summary>
<div class="scrolls" role="group" aria-label="Flags in the browser" tabindex="0">
<table id="browser-flags" role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">flag<th role="columnheader" scope="col">value<th role="columnheader" scope="col">variant<th role="columnheader" scope="col">reason</tr></thead><tbody role="rowgroup"></tbody></table>
</div>
</details>
<p id="news" role="status"></p>
<noscript><p>Without JavaScript the page shows its flags, and does not follow changes.</p></noscript>
</main>
</body>
</html>
`;
}

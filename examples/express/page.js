const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);

/** Writes the style of the button. A flag decides its color, so it may contain any text and is checked. */
export function buttonStyle({ buttonColor }) {
  return `.buy { background: ${/^[a-z]+$/.test(buttonColor.value) ? buttonColor.value : 'grey'} }`;
}

/** Writes the page of a user. The flags decide what it shows, and browser/live.js keeps it up to date. */
export function page({ user, plan }, values, canStop) {
  const { newCheckout, limits, banner } = values;
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
<div class="row service" ${canStop ? '' : 'hidden'}><h2 id="service"><span id="running" class="state" data-state="ready">Flipt is up</span><span id="promise">: stop it, nobody loses a flag</span></h2>
<button id="flipt" type="button">Stop Flipt</button></div>
<p id="meaning"></p>
<p class="hint" id="hint">${canStop ? 'Press a switch, or edit <code>examples/express/features.yml</code>: the page follows.' : 'Change a flag in Flipt: the page follows.'}</p>
<p class="hint" id="stopped-hint" hidden>Flags can be changed when Flipt is up.</p>
<div id="switches" class="row" role="group" aria-label="Switches of the flags"></div>
<p id="problem" role="alert"></p>
<div class="users row" role="group" aria-label="Log in as"><span aria-hidden="true">Log in as</span>
<button type="button" data-user="ada">ada</button>
<button type="button" data-user="grace">grace</button>
<button type="button" data-user="linus">linus</button>
<button type="button" data-user="guest">Log out</button></div>
</section>

<section class="shop" aria-labelledby="hello">
<h2 id="hello">Hello ${escaped(user)} (${escaped(plan)})</h2>
<p id="banner">${banner.value === 'none' ? '' : `Happy holidays: ${escaped(banner.value)}`}</p>
<p id="limits">You may have ${escaped(String(limits.value.projects))} projects. Support: ${escaped(String(limits.value.support))}.</p>
<p><button id="buy" class="buy" type="button">${newCheckout.value ? 'Buy with one click' : 'To the checkout'}</button></p>
</section>

<section aria-labelledby="server">
<h2 id="server">On the server: this provider in both modes, beside @openfeature/flipt-provider</h2>
<div class="scrolls" role="group" aria-label="Flags on the server" tabindex="0">
<table id="modes" role="table"><thead role="rowgroup"></thead></table>
</div>
</section>

<section aria-labelledby="client">
<h2 id="client">In this browser: OpenFeature’s web SDK follows this app, by an event stream</h2>
<div class="scrolls" role="group" aria-label="Flags in the browser" tabindex="0">
<table id="browser-flags" role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">flag<th role="columnheader" scope="col">value<th role="columnheader" scope="col">variant<th role="columnheader" scope="col">reason</tr></thead><tbody role="rowgroup"></tbody></table>
</div>
</section>
<p id="news" role="status"></p>
<noscript><p>Without JavaScript the page shows its flags, and does not follow changes.</p></noscript>
</main>
</body>
</html>
`;
}

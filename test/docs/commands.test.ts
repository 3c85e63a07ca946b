import { expect, it } from 'vitest';
import { fencesOf, textOf } from './pages.fixture.js';

const README = textOf('README.md');
const [firstScreen = ''] = README.split('\n## ');

it('the first screen of the README has the two commands of a clone, each as a block of its own', () => {
  const blocks = fencesOf(firstScreen).map(({ code }) => code.trim());
  expect(blocks).toEqual(['npm ci && npm start', 'npm ci && npm test']);
});

it('CI runs the test command of the README', () => {
  const [, inReadme = ''] = fencesOf(firstScreen).map(({ code }) => code.trim());
  const inCi = textOf('.ci/run')
    .split('\n')
    .filter((line) => line.startsWith('npm '))
    .map((line) => line.replace(/ --\S+/g, ''));
  expect(inCi).toEqual(inReadme.split(' && '));
});

it('the address that the README names is that of the example', () => {
  const [, port] = /env\.PORT \|\| '(\d+)'/.exec(textOf('examples/express/main.js')) ?? [];
  expect(firstScreen).toContain(`<http://localhost:${String(port)}>`);
});

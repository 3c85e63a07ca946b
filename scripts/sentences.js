/*
 * Prints random sentences of the project. Somebody who did not write them should read each one alone:
 *
 *     node scripts/sentences.js --seed 1 --count 60
 *
 * They come from the prose of README, CONTRIBUTING, SECURITY and docs, without headings, tables and samples, and from
 * the comments of src that have lines of their own. The same seed gives the same sentences until a text changes. The
 * line below a sentence says where its paragraph or comment begins, and which code the comment is about.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '60' } },
});
const [seed, count] = [values.seed, values.count].map(Number);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1) {
  console.error('Usage: node scripts/sentences.js --seed NUMBER --count NUMBER (whole numbers)');
  process.exit(1);
}

const filesIn = (folder, ending) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', '.md')];

/**
 * Joins the lines of a file to groups, such as paragraphs: `{ line, end, text }`, with the numbers of the first and
 * last line.
 */
function grouped(text, partOf) {
  const groups = [];
  let group;
  for (const [at, line] of text.split('\n').entries()) {
    const { begins, part } = partOf(line);
    if (begins || part === '') group = undefined;
    if (part === '') continue;
    if (group === undefined) groups.push((group = { line: at + 1, text: part }));
    else group.text += ` ${part}`;
    group.end = at + 1;
  }
  return groups;
}

/** The paragraphs and list items of a page. */
function paragraphs(text) {
  let isCode = false;
  let isComment = false;
  return grouped(text, (line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (line.startsWith('<!--')) isComment = true;
    const isLeftOut = isCode || isFence || isComment || /^(?:#|\||!\[|\[!\[)/.test(line);
    if (line.endsWith('-->')) isComment = false;
    const [, marker = '', part] = /^\s*((?:[-*]|\d+\.)\s+)?(.*?)\s*$/.exec(line);
    return { begins: marker !== '', part: isLeftOut ? '' : part };
  });
}

/** The comments of a file that have lines of their own, without examples and without the names of tags. */
function comments(text) {
  let isBlock = false;
  let isExample = false;
  return grouped(text, (line) => {
    const [, opening] = /^\s*(\/\*\*?)/.exec(line) ?? [];
    if (opening !== undefined) [isBlock, isExample] = [true, false];
    const [, ofLine] = isBlock ? [] : (/^\s*\/\/ ?(.*)$/.exec(line) ?? []);
    let part = ofLine ?? '';
    if (isBlock) {
      part = line.replace(/^\s*(?:\/\*\*?|\*(?!\/))?\s?|\s*\*\/\s*$/g, '');
      if (part.startsWith('@')) isExample = part.startsWith('@example');
      if (isExample) part = '';
      if (/\*\/\s*$/.test(line)) isBlock = false;
    }
    const begins = opening !== undefined || part.startsWith('@') || /^\s*- /.test(part);
    return { begins, part: part.replace(/^\s*(?:@\w+(?: \w+ -)?|-)?\s*/, '') };
  });
}

/** The first line of code below a comment. */
function codeBelow(text, end) {
  const line = text
    .split('\n')
    .slice(end)
    .find((next) => !/^\s*(?:\/\/|\/?\*|$)/.test(next));
  return line === undefined ? '' : ` ${line.trim()}`;
}

const FEWEST_WORDS = 4;

/**
 * The sentences of a text. A sentence ends with a mark, which brackets, quotes and the like may follow. A mark in code
 * between backticks does not end it.
 */
function sentencesOf(text) {
  const code = [];
  const masked = text.replace(/`[^`]*`/g, (span) => `\0${code.push(span) - 1}\0`);
  return masked
    .split(/(?<=[.!?]["'”’)*_\]]*)\s+/)
    .map((sentence) => sentence.replace(/\0(\d+)\0/g, (_, at) => code[at]))
    .filter((sentence) => (sentence.match(/\p{L}[^\s]*/gu) ?? []).length >= FEWEST_WORDS);
}

/** The sentences of a file. `about` returns what is shown after their place. */
function sentencesIn(file, groupsOf, about = () => '') {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return groupsOf(text).flatMap(({ line, end, text: whole }) =>
    sentencesOf(whole).map((sentence) => ({ sentence, place: `${file}:${line}${about(text, end)}` })),
  );
}

const all = [
  ...PAGES.flatMap((file) => sentencesIn(file, paragraphs)),
  ...filesIn('src', '.ts').flatMap((file) => sentencesIn(file, comments, codeBelow)),
];

/** Returns a generator of numbers in [0, 1) that depend only on the seed (mulberry32). */
function numbersFrom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = numbersFrom(seed);
for (let number = 1; number <= count && all.length > 0; number++) {
  const [{ place, sentence }] = all.splice(Math.floor(random() * all.length), 1);
  console.log(`${number}. ${sentence}\n   ${place}`);
}

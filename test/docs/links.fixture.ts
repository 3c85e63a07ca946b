import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import GitHubSlugger from 'github-slugger';
import { ROOT, withoutFences } from './pages.fixture.js';

/** Returns the anchors that GitHub gives a page: those of its headings, and those that HTML in it names. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const slugger = new GitHubSlugger();
  const prose = withoutFences(text);
  const headings = [...prose.matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/gm)];
  const named = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name);
  return new Set([...headings.map(([, heading = '']) => slugger.slug(plain(heading))), ...named]);
}

/** Returns the text that a reader sees of a heading. */
function plain(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\*([^*]+)\*/g, '$1');
}

/** Returns the targets of a page's links and images, without links to other sites. */
export function linksOf(text: string): readonly string[] {
  const prose = withoutFences(text).replace(/`[^`\n]*`/g, '');
  const inline = [
    ...prose.matchAll(/\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)/g),
  ];
  const references = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s+".*")?$/gm)];
  const html = [...prose.matchAll(/<(?:a|img)\s[^>]*(?:href|src)="([^"]+)"/g)];
  return [...inline, ...references, ...html]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** Says what is wrong with a link of a page; returns `undefined` if the link leads somewhere. */
export function complaintAbout(
  target: string,
  page: string,
  textOf: (page: string) => string,
): string | undefined {
  const [path = '', anchor] = target.split('#');
  if (target.startsWith('/')) return `${target}: begins with /, which means something else on each site`;
  const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (file.startsWith('..')) return `${target}: leads out of the repository`;
  if (!existsSync(join(ROOT, file))) return `${target}: there is no ${file}`;
  if (anchor === undefined) return undefined;
  if (!file.endsWith('.md') || statSync(join(ROOT, file)).isDirectory()) {
    return `${target}: an anchor in what is no page`;
  }
  const anchors = anchorsOf(textOf(file));
  return anchors.has(decodeURIComponent(anchor)) ? undefined : `${target}: ${file} has no such heading`;
}

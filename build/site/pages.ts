/** The pages of the site, in the order of docs/README.md, and where each is. All of it is pure. */
import { posix } from 'node:path';
import { changeLinks, type Link } from './links.ts';

/** A group of the sidebar, with its pages by their files in the checkout. */
export interface Group {
  readonly text: string;
  readonly pages: readonly { readonly text: string; readonly file: string }[];
}

/** Groups by headings, pages by the first link of each line of a list. */
export function groupsOf(contents: string): Group[] {
  const groups: { text: string; pages: { text: string; file: string }[] }[] = [];
  for (const line of contents.split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? [];
    if (heading !== undefined) groups.push({ text: heading, pages: [] });
    const [, text = '', path = ''] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? [];
    if (path !== '') groups.at(-1)?.pages.push({ text, file: posix.join('docs', path) });
  }
  return groups;
}

/** Where a page of the checkout is on the site: `docs/install.md` is `install.md`, README `index.md`. */
export function placeOf(file: string): string {
  if (file === 'README.md') return 'index.md';
  const place = file.replace(/^docs\//, '').toLowerCase();
  return place.replace(/(?:^|\/)readme\.md$/, (end) => (end.startsWith('/') ? '/index.md' : 'contents.md'));
}

/** What the links of the site need to know. */
export interface Site {
  /** Files of the checkout that are pages. */
  readonly files: ReadonlySet<string>;
  /** Address at which a file of the checkout can be read, ending with `/`; undefined where there is none. */
  readonly sources: string | undefined;
}

/** A page as the site has it: links to other pages lead to their places, and those to other files to where the project is read. */
export function pageOfSite(file: string, text: string, site: Site): string {
  const withoutNotes = text.replaceAll(/^<!--.*-->\n?/gm, '');
  return changeLinks(withoutNotes, (link) => targetOf(file, link, site));
}

function targetOf(file: string, { path, anchor, target }: Link, site: Site): string | undefined {
  if (path === '') return target;
  const found = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '');
  const end = anchor === '' ? '' : `#${anchor}`;
  const page = [found, `${found}/README.md`].find((one) => site.files.has(one));
  if (page !== undefined) return relative(file, placeOf(page)) + end;
  if (found.startsWith('docs/images/')) return relative(file, found.slice('docs/'.length));
  return site.sources === undefined ? undefined : `${site.sources}${found}${end}`;
}

/** From the place of a page to another place. */
function relative(file: string, place: string): string {
  const way = posix.relative(posix.dirname(placeOf(file)), place);
  return way.startsWith('.') ? way : `./${way}`;
}

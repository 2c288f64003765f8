/**
 * Writes the pages of the site, as VitePress takes them, into `.pages`: `npm run build` in this folder builds `.vitepress/dist` from them.
 *
 * SITE_BASE is the path that the site is served below (`/`), SITE_SOURCES the address at which files of the checkout can be read
 * (on GitHub's runners that of the commit), SITE_VERSION what it says of its version (that of package.json, not released).
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupsOf, pageOfSite, placeOf } from './pages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = join(import.meta.dirname, '.pages');
const { env } = process;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const groups = groupsOf(read('docs/README.md'));
const files = new Set([
  'README.md',
  'docs/README.md',
  ...groups.flatMap(({ pages }) => pages.map(({ file }) => file)),
  ...globSync(['docs/decisions/*.md', 'examples/cookbook/*/README.md'], { cwd: ROOT }),
]);
const { version } = JSON.parse(read('package.json')) as { readonly version: string };
const sources = env['SITE_SOURCES'] ?? ofGitHub();

rmSync(PAGES, { recursive: true, force: true });
for (const file of files) {
  const to = join(PAGES, placeOf(file));
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, pageOfSite(file, read(file), { files, sources }));
}
cpSync(join(ROOT, 'docs', 'images'), join(PAGES, 'images'), { recursive: true });
const link = (file: string): string => `/${placeOf(file).replace(/(?:index)?\.md$/, '')}`;
const site = {
  base: env['SITE_BASE'] ?? '/',
  version: env['SITE_VERSION'] ?? `${version}, not released yet`,
  sources,
  changelog: link('CHANGELOG.md'),
  sidebar: [
    { text: 'Overview', link: '/' },
    ...groups.map(({ text, pages }) => ({
      text,
      items: pages.map((page) => ({ text: page.text, link: link(page.file) })),
    })),
  ],
};
writeFileSync(join(PAGES, 'site.json'), JSON.stringify(site, null, 2));
console.log(`${files.size} pages of ${site.version}`);

/** Where GitHub shows the files of the commit that one of its runners is at. */
function ofGitHub(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = env;
  return repository === undefined ? undefined : `${server}/${repository}/blob/${commit}/`;
}

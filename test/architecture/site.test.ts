/** The site of the docs: its pages, their order, and where their links lead. `.ci/run` builds it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { groupsOf, pageOfSite, placeOf } from '../../build/site/pages.ts';

const CONTENTS = readFileSync('docs/README.md', 'utf8');

test('docs/README.md has each page of docs once, and only what is there', () => {
  const listed = groupsOf(CONTENTS).flatMap(({ pages }) => pages.map(({ file }) => file));
  assert.deepEqual(listed.length, new Set(listed).size);
  const docs = globSync(['docs/*.md', 'docs/reference/*.md']).filter((file) => file !== 'docs/README.md');
  assert.deepEqual(
    docs.filter((file) => !listed.includes(file)),
    [],
    'give it a line where it is to be read',
  );
});

test('groups are those of the headings, pages the first links of lines', () => {
  const contents =
    '# D\n\n[no](x.md)\n\n## Begin\n\n- [A](a.md): of [b](b.md)\n- [R](reference/README.md)\n## Next\n- [C](../C.md)\n';
  assert.deepEqual(groupsOf(contents), [
    {
      text: 'Begin',
      pages: [
        { text: 'A', file: 'docs/a.md' },
        { text: 'R', file: 'docs/reference/README.md' },
      ],
    },
    { text: 'Next', pages: [{ text: 'C', file: 'C.md' }] },
  ]);
});

const PLACES: readonly (readonly [string, string])[] = [
  ['README.md', 'index.md'],
  ['docs/README.md', 'contents.md'],
  ['docs/install.md', 'install.md'],
  ['docs/reference/README.md', 'reference/index.md'],
  ['packages/kube/README.md', 'packages/kube/index.md'],
  ['CHANGELOG.md', 'changelog.md'],
];
for (const [file, place] of PLACES) test(`${file} is ${place}`, () => assert.equal(placeOf(file), place));

const SITE = {
  files: new Set([
    'README.md',
    'docs/README.md',
    'docs/install.md',
    'docs/reference/README.md',
    'docs/reference/probes.md',
  ]),
  sources: 'https://host/project/blob/main/',
};
const LINKS: readonly (readonly [string, string, string])[] = [
  ['README.md', 'docs/install.md#helm', './install.md#helm'],
  ['README.md', 'docs/reference', './reference/index.md'],
  ['docs/install.md', '../README.md', './index.md'],
  ['docs/install.md', 'reference/probes.md', './reference/probes.md'],
  ['docs/reference/probes.md', '../install.md', '../install.md'],
  ['docs/install.md', '#helm', '#helm'],
  ['README.md', 'docs/images/run.png', './images/run.png'],
  ['docs/install.md', '../deploy/helm/', 'https://host/project/blob/main/deploy/helm'],
  ['docs/install.md', 'https://elsewhere/a.md', 'https://elsewhere/a.md'],
];
for (const [file, link, expected] of LINKS)
  test(`${link} of ${file} leads to ${expected}`, () => {
    assert.equal(pageOfSite(file, `[x](${link})`, SITE), `[x](${expected})`);
  });

test('where the project cannot be read, the words of a link to a file stay', () => {
  const text = pageOfSite('docs/install.md', 'see [the `chart`](../deploy/helm/), and [more](install.md)', {
    ...SITE,
    sources: undefined,
  });
  assert.equal(text, 'see the `chart`, and [more](./install.md)');
});

test('what is code, and what only the sources are told, is not of the page', () => {
  const page = '<!-- Generated -->\n`[x](docs/install.md)`\n```sh\n[x](docs/install.md)\n```\n';
  assert.equal(pageOfSite('README.md', page, SITE), page.slice('<!-- Generated -->\n'.length));
});

/** Markdown files: marks of text that was lost in an edit, and links that lead nowhere. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { anchorOf, headingsOf, linksOf } from '../../build/site/links.ts';

const FILES = globSync(['*.md', '{bench,build,deploy,docs,examples,packages,src,test,web}/**/*.md'], {
  exclude: (path) => /node_modules|\.pages/.test(path),
});

/** Lines outside of fenced code that are empty after an empty one, from 1; pure. */
function doubleBlanks(text: string): number[] {
  let isCode = false;
  let wasBlank = false;
  const found: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const isBlank = line.trim() === '';
    if (isBlank && wasBlank && !isCode) found.push(index + 1);
    wasBlank = isBlank;
  }
  return found;
}

test('two blank lines in a row are found, but in code', () => {
  assert.deepEqual(doubleBlanks('a\n\nb\n\n\nc\n```\n\n\n```\n'), [5]);
});

test('links and headings are found, but in code', () => {
  const page =
    '# A `b` of [c](d.md)\n\n[x](e.md#f) `[y](g.md)` [`z`](#a-b-of-c)\n[w](https://h/i.md)\n```\n# j\n[k](l.md)\n```\n';
  assert.deepEqual(
    linksOf(page).map(({ target }) => target),
    ['d.md', 'e.md#f', '#a-b-of-c'],
  );
  assert.deepEqual(headingsOf(page).map(anchorOf), ['a-b-of-c']);
});

test('every link leads somewhere: to a file or folder of the checkout, and to a heading of that page', () => {
  const broken: string[] = [];
  let count = 0;
  for (const file of FILES) {
    const text = readFileSync(file, 'utf8');
    for (const { path, anchor, target } of linksOf(text)) {
      count += 1;
      const found = path === '' ? file : join(dirname(file), path);
      if (!existsSync(found)) broken.push(`${file}: ${target}: no such file`);
      else if (anchor !== '' && found.endsWith('.md') && !anchorsOf(found).has(anchor))
        broken.push(`${file}: ${target}: no such heading`);
    }
  }
  assert.ok(count > 500, `${count} links`);
  assert.deepEqual(broken, []);
});

function anchorsOf(file: string): Set<string> {
  return new Set(headingsOf(readFileSync(file, 'utf8')).map(anchorOf));
}

test('no Markdown file has a hole: two blank lines in a row, where a paragraph or a part of a list went missing', () => {
  assert.ok(FILES.length > 90, `${FILES.length} files`);
  const holes = FILES.flatMap((file) =>
    doubleBlanks(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`),
  );
  assert.deepEqual(holes, []);
});

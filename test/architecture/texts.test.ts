/** Markdown files: marks of text that was lost in an edit, and links that lead nowhere. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const FILES = globSync(['*.md', '{bench,build,deploy,docs,examples,packages,src,test,web}/**/*.md']);

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

/** The anchors of a page's headings, as GitHub makes them; pure. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

test('every link to a heading finds it', () => {
  const broken: string[] = [];
  let count = 0;
  for (const file of FILES) {
    const text = readFileSync(file, 'utf8');
    for (const [, page = '', anchor = ''] of text.matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/g)) {
      count += 1;
      const target = page === '' ? text : readFileSync(join(dirname(file), page), 'utf8');
      if (!anchorsOf(target).has(anchor)) broken.push(`${file}: ${page}#${anchor}`);
    }
  }
  assert.ok(count > 50, `${count} links`);
  assert.deepEqual(broken, []);
});

test('no Markdown file has a hole: two blank lines in a row, where a paragraph or a part of a list went missing', () => {
  assert.ok(FILES.length > 90, `${FILES.length} files`);
  const holes = FILES.flatMap((file) =>
    doubleBlanks(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`),
  );
  assert.deepEqual(holes, []);
});

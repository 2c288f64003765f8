/** Markdown files: marks of text that got lost while somebody edited them. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

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

test('no Markdown file has a hole: two blank lines in a row, where a paragraph or a part of a list went missing', () => {
  const files = globSync(['*.md', '{bench,build,deploy,docs,examples,src,test,web}/**/*.md']);
  assert.ok(files.length > 90, `${files.length} files`);
  const holes = files.flatMap((file) =>
    doubleBlanks(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`),
  );
  assert.deepEqual(holes, []);
});

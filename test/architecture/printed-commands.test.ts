/**
 * Every command that README, docs, packages and examples print for a shell is run by a test, as it is printed: in a scene of its page
 * (test/e2e/printed-commands), or by another test; or a table says what it needs that no test has.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { COOKBOOK, ELSEWHERE, type RunBy } from '../e2e/printed-commands/elsewhere.ts';
import { commandsOf, PAGES, PRINTED } from '../e2e/printed-commands/pages.ts';
import { SCENES } from '../e2e/printed-commands/scenes.ts';

describe('what the pages print for a shell', () => {
  it('stands in fences that say what they hold', () => {
    const untagged = [...PRINTED].flatMap(([page, { untagged: lines }]) =>
      lines.map((line) => `${page}:${line}`),
    );
    assert.deepEqual(untagged, [], 'write ```sh for what is typed, ```text for what is answered');
  });

  it('is run by a test, or a table says what it needs', () => {
    const problems: string[] = [];
    for (const page of PAGES) {
      if (COOKBOOK.pages.test(page)) {
        const names = commandsOf(page).map(({ name }) => name);
        if (names.length !== 1 || names[0] !== COOKBOOK.command)
          problems.push(`${page}: only ${COOKBOOK.command} is run there`);
        continue;
      }
      problems.push(...problemsOf(page));
    }
    assert.deepEqual(problems, []);
  });

  it('is run by the other tests that the table names', () => {
    const rows = Object.values(ELSEWHERE).flatMap((row) => Object.entries(row));
    for (const [command, by] of [...rows, [COOKBOOK.command, COOKBOOK.by] as const]) {
      if (typeof by === 'string') continue;
      for (const { file, has } of [by].flat() as readonly RunBy[])
        assert.ok(
          readFileSync(file, 'utf8').includes(has),
          `${command}: ${file} has no ${has}; name the test that runs it`,
        );
    }
  });

  it('names scripts of the project that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: object;
    };
    const names = PAGES.flatMap((page) => commandsOf(page)).flatMap(({ name }) =>
      [...name.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script = '']) => script),
    );
    assert.ok(names.length > 5);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    );
  });
});

/** What speaks against a page: commands that nothing runs, and rows and steps for what it does not print in that order. */
function problemsOf(page: string): string[] {
  const table = Object.keys(ELSEWHERE[page] ?? {});
  const scenes = SCENES.filter((scene) => scene.page === page).map(({ steps }) =>
    steps.map(({ command }) => command),
  );
  const problems: string[] = [];
  const known = new Set([...table, ...scenes.flat()]);
  for (const { name, line } of commandsOf(page))
    if (!known.has(name))
      problems.push(
        `${page}:${line}: nothing runs \`${name}\`: add a step to a scene of that page (test/e2e/printed-commands/scenes.ts), or a row that names the test that runs it or what it needs (elsewhere.ts)`,
      );
  for (const name of known)
    if (!commandsOf(page).some((command) => command.name === name))
      problems.push(`${page}: does not print \`${name}\`: mend its step or row`);
  for (const steps of scenes) {
    let from = 0;
    for (const name of steps) {
      const at = commandsOf(page).findIndex((command, index) => index >= from && command.name === name);
      if (at === -1 && known.has(name))
        problems.push(`${page}: does not print \`${name}\` where the scene has it: mend the order`);
      from = Math.max(from, at + 1);
    }
  }
  return problems;
}

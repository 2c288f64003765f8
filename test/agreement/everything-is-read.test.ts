/**
 * Whatever a user can write is read by something, or stands by name among what is accepted and changes nothing: fields of the schemas, and
 * settings of the faults, from which docs/faults.md is made.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { CUSTOM_RESOURCES } from '../../src/api/crds.ts';
import { UNUSED_VARIABLES } from '../../src/chaos/unread/accepted-variables.ts';
import { COMMON_TUNABLES } from '../../src/experiment/injection/settings/common-tunables.ts';
import { faultRegistry } from '../../src/faults/index.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The code by file, from `src` on or with its package before it: without tests, and without what only declares. */
const code = new Map<string, string>();

before(async () => {
  await readCode('src', '');
  // What rules of roles mean is decided by the API server.
  await readCode('packages/cluster/src', 'cluster/');
});

async function readCode(folder: string, prefix: string): Promise<void> {
  const files = await readdir(join(ROOT, folder), { recursive: true });
  for (const file of files) {
    const isCode = file.endsWith('.ts') && !/\.test\.ts$|(?:^|\/)(?:testing|generated)\//.test(file);
    if (isCode) code.set(prefix + file, await readFile(join(ROOT, folder, file), 'utf8'));
  }
}

/** How often a word stands in the code, comments aside, where the files fit. */
function uses(word: string, isMeant: (file: string) => boolean): number {
  const pattern = new RegExp(`(?<![\\w/])${word.replace('/', '\\/')}(?!\\w)`, 'g');
  let count = 0;
  for (const [file, text] of code) {
    if (!isMeant(file)) continue;
    count += (text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').match(pattern) ?? []).length;
  }
  return count;
}

test('every setting of every fault is read, or is named among those that change nothing', async () => {
  const unread: string[] = [];
  const inFaults = (file: string): boolean => file.startsWith('faults/') || file.startsWith('experiment/');
  for (const [name, load] of faultRegistry) {
    const { tunables } = await load();
    for (const variable of Object.keys(tunables)) {
      // Each stands once where it is declared.
      const isCommon = Object.hasOwn(COMMON_TUNABLES, variable);
      if (!isCommon && uses(variable, inFaults) < 2) unread.push(`${name}: ${variable}`);
    }
  }
  const elsewhere = (file: string): boolean =>
    !file.endsWith('settings/common-tunables.ts') && !file.startsWith('chaos/unread/');
  for (const variable of Object.keys(COMMON_TUNABLES)) {
    if (uses(variable, elsewhere) === 0) unread.push(variable);
  }
  assert.deepEqual(
    unread.filter((text) => !Object.hasOwn(UNUSED_VARIABLES, text.split(' ').at(-1) ?? '')),
    [],
  );
});

test('every field of every kind is read', () => {
  const unread = CUSTOM_RESOURCES.flatMap(({ resource, schema }) => {
    const spec = schema.properties?.spec;
    return spec === undefined ? [] : unreadFields(resource.kind, spec, 'spec');
  });
  assert.deepEqual(unread, []);
});

function unreadFields(kind: string, schema: StructuralSchema, path: string): string[] {
  const below = schema.items === undefined ? [] : unreadFields(kind, schema.items, path);
  // Outside of the schemas and their checks, which name all of them.
  const isReader = (file: string): boolean => !/^api\/(?:schema|validation)\//.test(file);
  return Object.entries(schema.properties ?? {}).reduce((found, [name, child]) => {
    const here = `${path}.${name}`;
    const own = uses(name, isReader) === 0 ? [`${kind} ${here}`] : [];
    return [...found, ...own, ...unreadFields(kind, child, here)];
  }, below);
}

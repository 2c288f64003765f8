import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { faultRegistry } from '../../faults/index.ts';
import { codeSettings } from '../../runs/as-code/settings/code-settings.ts';
import { builderName, settingName } from '../../runs/as-code/settings/setting-name.ts';
import { currentFiles } from './generate.ts';
import { membersText } from './type-text.ts';

test('the types of chaos as code are what `npm run generate` writes', async () => {
  for (const [file, text] of await currentFiles()) {
    assert.ok((await readFile(file, 'utf8')) === text, `${file.pathname} is stale: run npm run generate`);
  }
});

test('builders and settings have names of their own, and none that every fault has already', async () => {
  const builders = [...faultRegistry.keys()].map(builderName);
  assert.equal(new Set(builders).size, builders.length);
  for (const load of faultRegistry.values()) {
    const fault = await load();
    const names = Object.keys(codeSettings(fault)).map(settingName);
    assert.deepEqual([...new Set(names)], names, fault.name);
    for (const taken of ['name', 'target', 'probes'])
      assert.ok(!names.includes(taken), `${fault.name} ${taken}`);
    for (const name of names) assert.match(name, /^[a-z][a-zA-Z0-9]*$/, fault.name);
  }
});

test('every setting of a fault itself can be given in code', async () => {
  for (const load of faultRegistry.values()) {
    const fault = await load();
    const inCode = Object.keys(codeSettings(fault));
    const missing = Object.keys(fault.tunables).filter((name) => !inCode.includes(name));
    // CONTAINER_API_TIMEOUT is accepted for LitmusChaos' charts, and changes nothing.
    assert.deepEqual(
      missing.filter((name) => name !== 'CONTAINER_API_TIMEOUT'),
      [],
      fault.name,
    );
  }
});

test('a schema as members of an interface', () => {
  const text = membersText(
    {
      required: ['url'],
      properties: {
        url: { type: 'string', description: 'Where to. */' },
        words: { type: 'array', items: { type: 'string', enum: ['a', "it's"] } },
        'a/b': { type: 'object', properties: { n: { type: 'integer' } } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        any: { 'x-kubernetes-int-or-string': true },
        better: { type: 'string' },
      },
    },
    { better: 'Duration' },
  );
  assert.equal(
    text,
    [
      '  /** Where to. * / */',
      '  readonly url: string;',
      "  readonly words?: readonly ('a' | 'it\\'s')[];",
      "  readonly 'a/b'?: {",
      '    readonly n?: number;',
      '  };',
      '  readonly labels?: Readonly<Record<string, string>>;',
      '  readonly any?: number | string;',
      '  readonly better?: Duration;',
      '',
    ].join('\n'),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPABILITY_BITS } from '@turnsole/kube/text/capabilities';
import { LACKS_ANNOTATION, lacksOfNode, machineLacks, TOOL_PACKAGES } from './machine-lacks.ts';

test('a machine lacks what its process may not do, what is not in PATH, and isolation', () => {
  const everything = 'CapEff:\t000001ffffffffff\n';
  const linux = { platform: 'linux', status: everything, hasTool: () => true };
  assert.deepEqual(machineLacks(linux), { capabilities: [], tools: [] });
  // One id is no other to become.
  assert.deepEqual(machineLacks({ ...linux, hasOneId: true }).capabilities, ['SETUID', 'SETGID']);
  const nothing = machineLacks({
    platform: 'darwin',
    status: '',
    hasTool: () => false,
    notIsolated: 'no root',
  });
  assert.deepEqual(nothing.capabilities, Object.keys(CAPABILITY_BITS));
  assert.deepEqual(nothing.tools, Object.keys(TOOL_PACKAGES));
  assert.deepEqual([nothing.linux, nothing.isolation], ['darwin', 'no root']);
});

test('a node says what its machine lacks; what cannot be read says nothing', () => {
  const node = (text?: string) => ({
    metadata: { name: 'n', ...(text === undefined ? {} : { annotations: { [LACKS_ANNOTATION]: text } }) },
  });
  const lacks = machineLacks({
    platform: 'freebsd',
    status: 'CapEff:\t0000000000001000\n',
    hasTool: (name) => name !== 'tc',
    notIsolated: 'no root',
  });
  assert.deepEqual(lacksOfNode(node(JSON.stringify(lacks))), lacks);
  for (const text of [undefined, 'null', '[]', '{"tools":[]}', '{', '7']) {
    assert.equal(lacksOfNode(node(text)), undefined, text);
  }
});

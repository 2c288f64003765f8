import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Arguments, ValueFrom } from '../../kinds/parameters.ts';
import { bindTemplate } from './bind-inputs.ts';
import { namesOf } from './names.ts';

const GLOBALS = namesOf(
  new Map([
    ['workflow.parameters.cm', 'settings'],
    ['workflow.parameters.key', 'color'],
  ]),
);
const MAPS: Readonly<Record<string, string>> = { 'settings/color': 'red', 'settings/size': 'big' };

function valueOf(valueFrom: ValueFrom, args?: Arguments): string | undefined {
  const template = { name: 't', inputs: { parameters: [{ name: 'm', valueFrom }] } };
  const bound = bindTemplate(template, args, GLOBALS, {
    pass: 'later',
    random: () => 0,
    now: 0,
    readConfigMap: (name, key) => MAPS[`${name}/${key}`],
  });
  return bound.inputs?.parameters?.[0]?.value;
}

describe('an input from a ConfigMap', () => {
  const rows: readonly [name: string, key: string, args?: Arguments][] = [
    ['settings', 'color'],
    ['{{workflow.parameters.cm}}', 'color'],
    ['settings', '{{workflow.parameters.key}}'],
    ["{{=workflow.parameters.cm + ''}}", '{{=workflow.parameters.key}}'],
    ['settings', '{{inputs.parameters.k}}', { parameters: [{ name: 'k', value: 'color' }] }],
  ];
  for (const [name, key, args] of rows) {
    test(`${name}, ${key}`, () => assert.equal(valueOf({ configMapKeyRef: { name, key } }, args), 'red'));
  }

  test('its default where the key is not there', () => {
    assert.equal(valueOf({ default: 'd', configMapKeyRef: { name: 'settings', key: 'zz' } }), 'd');
  });

  test('without a default the error names the ConfigMap', () => {
    assert.throws(
      () => valueOf({ configMapKeyRef: { name: '{{workflow.parameters.cm}}', key: 'zz' } }),
      /unable to retrieve inputs\.parameters\.m from ConfigMap: there is no ConfigMap "settings" with the label .* and the key "zz"/,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findUnknownFields, unknownFieldText } from '@turnsole/kube/schema/unknown-fields';
import { CUSTOM_RESOURCES } from '../crds.ts';
import { fieldMeant } from './field-meant.ts';

describe('a known field at another place of an engine, and probes in any form', () => {
  const engine = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === 'ChaosEngine')?.schema ?? {};
  const inputs = { url: 'http://nowhere.invalid/', method: { get: { criteria: '==', responseCode: '200' } } };
  const probe = { name: 'p', type: 'httpProbe', mode: 'SOT', 'httpProbe/inputs': inputs };
  const place = 'spec.experiments[1].spec.probe';
  const second = (spec: object): object => ({
    spec: { experiments: [{ name: 'a' }, { name: 'b', spec }] },
  });
  const here = 'spec.experiments[1].spec';
  const belongs = (path: string, to: string): string => `${path}: means nothing here; it belongs at ${to}`;
  const cases: [string, object, string][] = [
    [
      'beside env',
      second({ components: { env: [], probe: [probe] } }),
      belongs(`${here}.components.probe`, place),
    ],
    [
      'as a list of one type',
      second({ httpProbe: [{ name: 'p', inputs }] }),
      belongs(`${here}.httpProbe`, place),
    ],
    [
      'of one type, misspelled',
      second({ httProbe: [{ name: 'p', inputs }] }),
      belongs(`${here}.httProbe`, place),
    ],
    [
      'under any name',
      second({ components: { checks: [probe] } }),
      belongs(`${here}.components.checks`, place),
    ],
    [
      'in the spec',
      { spec: { probe: [probe], experiments: [] } },
      belongs('spec.probe', 'spec.experiments[0].spec.probe'),
    ],
    [
      'an application below an experiment',
      second({ appinfo: { appns: 'a' } }),
      belongs(`${here}.appinfo`, 'spec.appinfo'),
    ],
    [
      'an application below components',
      { spec: { components: { appinfo: {} }, experiments: [] } },
      belongs('spec.components.appinfo', 'spec.appinfo'),
    ],
    ['selectors', second({ selectors: { pods: [] } }), belongs(`${here}.selectors`, 'spec.selectors')],
    [
      'a single setting',
      second({ engineState: 'active' }),
      belongs(`${here}.engineState`, 'spec.engineState'),
    ],
    [
      'inputs of a probe without its type',
      second({ probe: [{ ...probe, inputs }] }),
      `${here}.probe[0].inputs: unknown field; did you mean "httpProbe/inputs"?`,
    ],
    [
      'a type of a probe as its field',
      second({ probe: [{ name: 'p', type: 'cmdProbe', cmdProbe: {} }] }),
      `${here}.probe[0].cmdProbe: unknown field; did you mean "cmdProbe/inputs"?`,
    ],
    [
      'a name that means something at many places',
      second({ labels: { a: 'b' } }),
      `${here}.labels: unknown field, ignored`,
    ],
    ['an addition', second({ rank: 1 }), `${here}.rank: unknown field, ignored`],
  ];
  for (const [name, object, expected] of cases) {
    it(name, () => {
      const found = findUnknownFields(engine, object, fieldMeant).map(
        (field) => `${field.path}: ${unknownFieldText(field)}`,
      );
      assert.deepEqual(found, [expected]);
    });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validate } from '@turnsole/kube/schema/structural';
import { CUSTOM_RESOURCES } from '../crds.ts';
import { explainFieldError } from './advice.ts';

const schema = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === 'ChaosEngine')?.schema ?? {};

/** The problems of an engine with one experiment. */
function problems(spec: object, engine: object = {}): string[] {
  const object = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'e' },
    spec: { experiments: [{ name: 'pod-delete', spec }], ...engine },
  };
  return validate(schema, object).map((error) => explainFieldError(error, object));
}

const probe = (type: string, runProperties: object, inputs: object = {}) => ({
  probe: [{ name: 'p', type, mode: 'SOT', runProperties, ...inputs }],
});

test('a value of the wrong type is refused with the text to write', async (t) => {
  const at = 'spec.experiments[0].spec';
  const numbers = 'numbers were seconds in LitmusChaos before 3';
  const cmd = (source: unknown) => ({
    'cmdProbe/inputs': { command: 'true', source, comparator: { type: 'int', criteria: '==', value: '1' } },
  });
  const cases: [string, string[], string[]][] = [
    [
      'durations as numbers',
      problems(probe('cmdProbe', { probeTimeout: 5, interval: 2, initialDelay: 1 })),
      [
        `${at}.probe[0].runProperties.probeTimeout: must be of type string, and is of type integer; write "5s": ${numbers}`,
        `${at}.probe[0].runProperties.interval: must be of type string, and is of type integer; write "2s": ${numbers}`,
        `${at}.probe[0].runProperties.initialDelay: must be of type string, and is of type integer; write "1s": ${numbers}`,
      ],
    ],
    [
      'the limit of an httpProbe',
      problems(probe('httpProbe', { probeTimeout: 500, interval: '1s' })),
      [
        `${at}.probe[0].runProperties.probeTimeout: must be of type string, and is of type integer; write "500s", or "500ms": ${numbers}, and milliseconds for httpProbes of some releases`,
      ],
    ],
    [
      'a number as text',
      problems(probe('cmdProbe', { probeTimeout: '5s', interval: '1s', retry: '3' })),
      [
        `${at}.probe[0].runProperties.retry: must be of type integer, and is of type string; write 3, without quotes`,
      ],
    ],
    [
      'an inline source',
      problems(probe('cmdProbe', { probeTimeout: '5s', interval: '1s' }, cmd('inline'))),
      [
        `${at}.probe[0]["cmdProbe/inputs"].source: must be of type object, and is of type string; leave it out to run the command in the experiment pod, or name the image of a pod of its own: source.image`,
      ],
    ],
    [
      'components as a list',
      problems({ components: [{ name: 'FORCE', value: 'true' }] }),
      [`${at}.components: must be of type object, and is of type array; write this list as components.env`],
    ],
    [
      'variables that are no text',
      problems({ components: { env: [{ name: 'FORCE', value: true }] } }),
      [
        `${at}.components.env[0].value: must be of type string, and is of type boolean; write "true", with quotes`,
      ],
    ],
    [
      'a flag in quotes',
      problems({}, { defaultHealthCheck: 'true' }),
      ['spec.defaultHealthCheck: must be of type boolean, and is of type string; write true, without quotes'],
    ],
  ];
  for (const [name, found, expected] of cases) await t.test(name, () => assert.deepEqual(found, expected));
});

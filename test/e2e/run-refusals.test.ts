/** Input that `turnsole run` refuses before it injects anything. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chaosAccount, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { runManifests } from '../support/run-manifests.ts';

const APP = [webApp(), chaosAccount(), experiment('pod-delete')];

/** What is wrong, and what the message must say: file and line, object, field, found and expected. */
const BAD_INPUT: readonly { name: string; manifests: readonly string[]; message: RegExp }[] = [
  { name: 'a file that is no YAML', manifests: ['a: [1'], message: /chaos\.yaml:\d+: not valid YAML/ },
  {
    name: 'an unknown kind',
    manifests: ['apiVersion: apps/v1\nkind: Deploymnt\nmetadata: { name: x }', ...APP, engine()],
    message: /chaos\.yaml:2: Deploymnt x: kind: unknown kind Deploymnt in apps\/v1/,
  },
  {
    name: 'a missing field',
    manifests: [...APP, engine().replace(/^.*- name: pod-delete$/m, '    - nam: pod-delete')],
    message: /ChaosEngine web-chaos: spec\.experiments\[0\]\.name: Required value/,
  },
  {
    name: 'a misspelled field',
    manifests: [...APP, engine().replace('engineState', 'engineStat')],
    message: /spec\.engineStat: unknown field; did you mean "engineState"\?/,
  },
  {
    name: 'an engine whose experiment does not exist',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delet' }] })],
    message: /ChaosEngine .*web-chaos: spec\.experiments\[0\]\.name: .*pod-delet/,
  },
  {
    name: 'a target selector that matches nothing',
    manifests: [...APP, engine({ label: 'app=nothing' })],
    message: /ChaosEngine .*web-chaos: spec\.appinfo.*app=nothing/,
  },
  {
    name: 'a service account that does not exist',
    manifests: [...APP, engine({ account: 'nobody' })],
    message: /spec\.chaosServiceAccount: .*nobody/,
  },
  {
    name: 'a service account without the needed permission',
    manifests: [
      webApp(),
      chaosAccount("  - { apiGroups: [''], resources: [pods], verbs: [get, list] }"),
      experiment('pod-delete'),
      engine(),
    ],
    message: /spec\.chaosServiceAccount: .*chaos-sa.*delete.*pods/,
  },
  {
    name: 'a probe with a wrong comparator',
    manifests: [
      ...APP,
      engine({ experiments: [{ name: 'pod-delete', probes: webProbe('SOT').replace("'=='", "'=~'") }] }),
    ],
    message: /probe\[0\].*criteria.*=~/,
  },
  {
    name: 'an env value that is no number',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delete', env: { CHAOS_INTERVAL: 'soon' } }] })],
    message: /CHAOS_INTERVAL.*soon.*(integer|number)/,
  },
  {
    name: 'a misspelled variable',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delete', env: { TOTAL_CHAOS_DURATON: '5' } }] })],
    message: /components\.env: TOTAL_CHAOS_DURATON is no setting .*did you mean TOTAL_CHAOS_DURATION\?/,
  },
  {
    name: 'a target that a variable names and nobody knows',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delete', env: { TARGET_PODS: 'nobody' } }] })],
    message: /components\.env: .*TARGET_PODS: nobody not found/,
  },
  {
    name: 'an engine that is to stop',
    manifests: [...APP, engine().replace('engineState: active', 'engineState: stop')],
    message: /chaos\.yaml:\d+: ChaosEngine web-chaos: spec\.engineState: found "stop".*"active"/,
  },
];

describe('turnsole run refuses bad input with exit code 2 and injects nothing', { concurrency: 2 }, () => {
  for (const { name, manifests, message } of BAD_INPUT) {
    it(name, async () => {
      const outcome = await runManifests(manifests);
      assert.equal(outcome.code, 2, outcome.stdout + outcome.stderr);
      assert.match(outcome.stderr, message);
      assert.deepEqual(outcome.report?.engines, []);
      assert.equal(outcome.report?.failure?.exitCode, 2);
    });
  }
});

/**
 * What `turnsole run` refuses, `plan` refuses as well, and so does a run of the same engine with `spec.dryRun`: with the same exit code, in the
 * same words. What only names its place in the file may differ.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnsoleIn } from '../support/command-in.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { temporaryFolder } from '../support/turnsole.ts';

const APP = [webApp(1), chaosAccount(), experiment('pod-delete')];
const DRY = 'engineState: active\n  dryRun: true';

const withEnv = (env: Readonly<Record<string, string>>): string[] => [
  ...APP,
  engine({ experiments: [{ name: 'pod-delete', env }] }),
];
const withProbe = (probes: string): string[] => [
  ...APP,
  engine({ experiments: [{ name: 'pod-delete', probes }] }),
];
const fault = (...args: readonly string[]): readonly string[] => ['--fault', 'pod-delete', ...args];

/** What is wrong, the manifests, options, and what is said of it. */
const TABLE: readonly (readonly [
  string,
  readonly string[],
  readonly string[],
  code: number,
  says: RegExp,
])[] = [
  ['no YAML', ['a: [1'], [], 2, /not valid YAML/],
  ['nothing in the file', [''], [], 2, /no Kubernetes object found/],
  ['nothing to run', APP, [], 2, /nothing to run/],
  ['a file that is not there', APP, ['nowhere.yaml'], 2, /nowhere\.yaml: no such file or folder/],
  [
    'an unknown kind',
    [...APP, engine().replace('ChaosEngine', 'ChaosEngin')],
    [],
    2,
    /there is no kind ChaosEngin in litmuschaos\.io\/v1alpha1; did you mean ChaosEngine/,
  ],
  ['an unknown field', [...APP, engine().replace('appinfo', 'appinf')], [], 2, /spec\.appinf: unknown field/],
  ['two of one name', [...APP, engine(), engine()], [], 2, /stands in .* already/],
  [
    'an experiment that is not there',
    [webApp(1), chaosAccount(), engine()],
    [],
    2,
    /ChaosExperiment default\/pod-delete not found/,
  ],
  [
    'an account that is not there',
    [...APP, engine({ account: 'nobody' })],
    [],
    2,
    /service account default\/nobody not found/,
  ],
  [
    'no target',
    [...APP, engine({ label: 'app=nothing' })],
    [],
    2,
    /no pods found for deployment:default:\[app=nothing\]/,
  ],
  [
    'a kind of target that there is not',
    [...APP, engine().replace('appkind: deployment', 'appkind: deploymnt')],
    [],
    2,
    /appkind: Unsupported value/,
  ],
  ['a number that is none', withEnv({ CHAOS_INTERVAL: 'soon' }), [], 2, /CHAOS_INTERVAL is "soon"/],
  ['a setting that there is not', withEnv({ CHAOS_INTERVL: '1' }), [], 2, /did you mean CHAOS_INTERVAL\?/],
  [
    'a word that there is not',
    withEnv({ SEQUENCE: 'at-once' }),
    [],
    2,
    /expected one of parallel, serial, random/,
  ],
  [
    'a mode that there is not',
    withProbe(webProbe('Sometimes')),
    [],
    2,
    /mode: Unsupported value: "Sometimes"/,
  ],
  [
    'an address that is none',
    withProbe(webProbe('SOT').replace('http://web.default.svc', 'web')),
    [],
    2,
    /must be a URL/,
  ],
  ['a duration that is none', [...APP, engine()], ['--ready-timeout', 'soon'], 2, /"soon" is no duration/],
  ['an image without a command', [...APP, engine()], ['--image', 'a'], 2, /expected name=command/],
  [
    'an image that cannot be had',
    [...APP.map((text) => text.replace('turnsole/sample-web', 'registry.invalid/none:1')), engine()],
    [],
    3,
    /one image of the pods cannot be had:\s+(?:turnsole: +)?registry\.invalid\/none:1/,
  ],
  ['a fault without a target', [webApp(1)], fault(), 2, /pod-delete needs --target/],
  [
    'a target that is not there',
    [webApp(1)],
    fault('--target', 'deployment/wep'),
    2,
    /there is no deployment\/wep .*there is deployment\/web/,
  ],
  [
    'the address of the probe’s own pod',
    [webApp(1)],
    fault('--target', 'deployment/web', '--probe', 'http://localhost/'),
    2,
    /localhost is the pod in which the probe runs/,
  ],
];

describe('run, its dry run and plan refuse the same input in the same words', { concurrency: 3 }, () => {
  for (const [name, texts, args, code, says] of TABLE)
    it(name, async () => {
      await using folder = await temporaryFolder();
      const text = documents(...texts);
      await writeFile(join(folder.path, 'chaos.yaml'), text);
      await writeFile(join(folder.path, 'dry.yaml'), text.replaceAll('engineState: active', DRY));
      const of = async (command: string, file: string): Promise<string> => {
        const answered = await turnsoleIn(folder.path, [command, '--no-config', file, ...args]);
        assert.equal(answered.code, code, `${command} ${file}:\n${answered.text}`);
        return refusalsIn(answered.text, says);
      };
      const ofRun = await of('run', 'chaos.yaml');
      assert.match(ofRun, says);
      assert.equal(await of('plan', 'chaos.yaml'), ofRun);
      assert.equal(await of('run', 'dry.yaml'), ofRun);
    });
});

/** The lines from the one that refuses to the end of it, without what only names a place. */
function refusalsIn(text: string, says: RegExp): string {
  const place = text.search(says);
  const line = place === -1 ? '' : text.slice(text.lastIndexOf('\n', place) + 1);
  const [paragraph = ''] = line.split(/\n(?=\s*\+|\S*ENGINE )/);
  return paragraph
    .trim()
    .replace(/^turnsole: /, '')
    .replaceAll(/(?:chaos|dry)\.yaml:\d+/g, 'FILE')
    .replaceAll(/(?:chaos|dry)\.yaml/g, 'FILE');
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { formatFieldError } from '@turnsole/kube/schema/field-error';
import type { Probe } from '../../api/schema/probe.ts';
import { checkProbes } from './definition.ts';
import { createProbeRunner } from './runner.ts';
import { cmdProbe, httpProbe, k8sProbe, noClient, promProbe, RUN, sloProbe } from './testing/builders.ts';

/** What a user may write although the schema forbids it, or did before it was checked. */
function untyped(probe: object): Probe {
  return probe as Probe;
}

async function check(...probes: readonly Probe[]): Promise<string[]> {
  return (await checkProbes(probes, { path: ['probe'] })).map(formatFieldError);
}

test('probes of every type', async () => {
  assert.deepEqual(
    await check(
      httpProbe('http://x'),
      cmdProbe('true', ''),
      k8sProbe({}),
      promProbe('http://x', {}),
      sloProbe('http://x'),
    ),
    [],
  );
});

test('what is missing in a source pod is named by its field', async () => {
  const source = cmdProbe('true', '');
  const inputs = { command: 'true', comparator: { type: 'string', criteria: 'equal', value: '' } } as const;
  source['cmdProbe/inputs'] = { ...inputs, source: { image: '' } };
  assert.deepEqual(await check(httpProbe('http://x'), source), [
    'probe[1]["cmdProbe/inputs"].source.image: Required value: the image that is run',
  ]);
});

test('all problems of all probes are reported', async () => {
  const broken = untyped({
    name: ' ',
    type: 'httpProbe',
    mode: 'Always',
    runProperties: { probeTimeout: '5' },
  });
  assert.deepEqual(await check(broken, untyped({ ...cmdProbe('true', ''), type: 'pingProbe' })), [
    'probe[0].name: Required value: results and templates go by it',
    'probe[0].mode: Unsupported value: "Always": supported values: "SOT", "EOT", "Edge", "Continuous", "OnChaos"',
    'probe[0].runProperties.probeTimeout: Invalid value: "5": the unit is missing; write 5s for seconds or 5ms for milliseconds',
    'probe[0]["httpProbe/inputs"]: Required value: a probe of type httpProbe needs its inputs here',
    'probe[1].type: Unsupported value: "pingProbe": supported values: "httpProbe", "cmdProbe", "k8sProbe", "promProbe", "sloProbe", "loadProbe"',
  ]);
});

test('templates can only use cmdProbes of the experiment', async () => {
  const use = (name: string): string => `http://x/{{ .${name}.ProbeArtifacts.Register }}`;
  const shell = cmdProbe('true', '');
  assert.deepEqual(await check(shell, httpProbe(use('shell'))), []);
  assert.deepEqual(await check(httpProbe(use('web')), httpProbe(use('none'))), [
    `probe[0]["httpProbe/inputs"].url: Invalid value: "${use('web')}": template uses 'web', which is no cmdProbe of this experiment`,
    `probe[1]["httpProbe/inputs"].url: Invalid value: "${use('none')}": template uses 'none', which is no cmdProbe of this experiment`,
  ]);
});

test('a definition that cannot be run is an error before anything is run', async () => {
  const updates: unknown[] = [];
  const runner = createProbeRunner({
    probes: [
      cmdProbe('echo must not run >&2', ''),
      httpProbe(' '),
      cmdProbe('true', '', { name: 'second', mode: 'EOT', runProperties: { ...RUN, interval: 'x' } }),
    ],
    path: ['spec', 'experiments', 1, 'spec', 'probe'],
    client: noClient(),
    clock: systemClock,
    signal: new AbortController().signal,
    env: {},
    statusCheckTimeoutSeconds: 180,
    logger: { info: () => {}, warn: () => {} },
    onUpdate: (statuses) => updates.push(statuses),
    onStop: () => {},
  });
  const outcome = await runner.preChaos();
  assert.deepEqual(outcome, {
    ok: false,
    kind: 'error',
    code: 'HTTP_PROBE_ERROR',
    message:
      `probe 'web': spec.experiments[1].spec.probe[1]["httpProbe/inputs"].url: Required value: a URL such as http://web.default.svc:80/health; ` +
      `probe 'second': spec.experiments[1].spec.probe[2].runProperties.interval: Invalid value: "x": write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s`,
    stop: false,
    findings: outcome.ok ? [] : outcome.findings,
  });
  assert.deepEqual(updates, []);
});

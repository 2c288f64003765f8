/** What run properties, templates, operations and errors of probes come to, from the engine to its result, with real peers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { isOpen } from '../../src/api/index.ts';
import type { Probe } from '../../src/api/schema/probe.ts';
import { cmdProbe, httpProbe, k8sProbe, sloProbe } from '../../src/experiment/probes/testing/builders.ts';
import { bodyOf, REFUSING_URL, startPeer } from '../../src/experiment/probes/testing/http-peer.ts';
import { ProbeCluster, statusesOf, verdictsOf } from './support/probe-cluster.ts';

/** An httpProbe that trusts the authorities of a file. */
function withAuthorities(caFile: string): Probe {
  const method = { get: { criteria: '==', responseCode: '200' } };
  return httpProbe('', {
    'httpProbe/inputs': { url: 'https://127.0.0.1:1/', method, tlsConfig: { caFile } },
  });
}

/** Patient with a busy machine. */
const RUN: Probe['runProperties'] = { probeTimeout: '30s', interval: '0s', probePollingInterval: '200ms' };

describe('probes of a run', { concurrency: 3 }, () => {
  let cluster: ProbeCluster;
  before(async () => {
    cluster = await ProbeCluster.start();
  });
  after(() => cluster?.close());

  /** Runs probes to their end; gives verdict, phase and error code as one text, and the result. */
  async function play(probes: readonly Probe[], durationSeconds = 2, given?: string) {
    const namespace = given ?? (await cluster.namespace());
    const run = await cluster.run({ namespace, probes, durationSeconds });
    const result = await run.ended();
    const { verdict, phase, errorOutput } = result.status?.experimentStatus ?? {};
    const said = [verdict, phase, errorOutput?.errorCode].filter(Boolean).join(' ');
    const hit = Object.keys(result.status?.ledger ?? {}).length;
    return { run, result, said, hit };
  }

  test('stopOnFailure before the chaos: nothing is hit', async () => {
    const runProperties = { ...RUN, stopOnFailure: true };
    const { said, hit, result } = await play([
      cmdProbe('echo no', 'yes', { name: 'stops', runProperties }),
      cmdProbe('echo yes', 'yes', { name: 'later', runProperties: RUN }),
    ]);
    assert.equal(said, 'Stopped Stopped');
    assert.equal(hit, 0);
    assert.deepEqual(verdictsOf(result), ['stops Failed', 'later N/A']);
  });

  test('stopOnFailure beside the chaos: the engine is stopped', async () => {
    const runProperties = { ...RUN, stopOnFailure: true };
    for (const mode of ['Continuous', 'OnChaos'] as const) {
      let asked = 0;
      await using peer = await startPeer((_, response) => {
        asked += 1;
        response.statusCode = asked < 3 ? 200 : 500;
        response.end();
      });
      const { run, said, result } = await play([httpProbe(peer.url, { mode, runProperties })], 60);
      assert.match(said, /^Stopped Stopped/, mode);
      assert.deepEqual(verdictsOf(result), ['web Failed'], mode);
      assert.equal(asked, 3, mode);
      const { what, points = [] } = result.status?.probeStatuses?.[0]?.measured ?? {};
      assert.equal(what, 'response time', mode);
      // A pass whose time was mostly the wait of the probe's own process for a processor has no point.
      assert.ok(points.length >= 1 && points.length <= asked, `${mode}: ${points.length} of ${asked}`);
      const engine = await run.engineEnded();
      assert.equal(`${engine.spec.engineState} ${engine.status?.engineStatus}`, 'stop stopped', mode);
    }
  });

  test('stopOnFailure after the chaos: the run is Stopped, and what was hit has recovered', async () => {
    const runProperties = { ...RUN, stopOnFailure: true };
    const { said, hit, result } = await play([
      cmdProbe('echo no', 'yes', { name: 'stops', mode: 'EOT', runProperties }),
    ]);
    assert.equal(said, 'Stopped Stopped');
    assert.ok(hit > 0);
    assert.ok(Object.values(result.status?.ledger ?? {}).every((entry) => !isOpen(entry)));
  });

  test('attempts go on until one passes; retry is their older name', async () => {
    for (const [field, needed] of [
      ['attempt', 3],
      ['retry', 2],
    ] as const) {
      const times: number[] = [];
      await using peer = await startPeer((_, response) => {
        times.push(performance.now());
        response.statusCode = times.length < needed ? 503 : 200;
        response.end();
      });
      const runProperties = { ...RUN, interval: '300ms', [field]: needed };
      const { said } = await play([httpProbe(peer.url, { runProperties })], 1);
      assert.equal(said, 'Pass Completed', field);
      assert.equal(times.length, needed, field);
      const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      // A timer may fire a millisecond early.
      assert.ok(
        pauses.every((ms) => ms >= 298),
        `${pauses}`,
      );
    }
  });

  test('a request that is not answered is interrupted at probeTimeout', async () => {
    const closed = Promise.withResolvers<number>();
    await using peer = await startPeer((request) => {
      const startedAt = performance.now();
      request.socket.once('close', () => closed.resolve(performance.now() - startedAt));
    });
    // On a busy machine the request may take a while to arrive, and only one that arrived can be interrupted.
    const runProperties = { ...RUN, probeTimeout: '2s' };
    const { said, result } = await play([httpProbe(peer.url, { mode: 'EOT', runProperties })], 1);
    assert.equal(said, 'Fail Completed_With_Probe_Failure');
    assert.equal(
      statusesOf(result)[0]?.status.description,
      `probe failed due to timeout: GET ${peer.url}/: no answer in 2 s`,
    );
    assert.ok((await closed.promise) < 20_000, 'long before the peer would have given up');
  });

  test('the first run waits for initialDelay', async () => {
    const times: [string, number][] = [];
    await using peer = await startPeer((request, response) => {
      times.push([request.url ?? '', performance.now()]);
      response.end();
    });
    const runProperties = { ...RUN, initialDelay: '1s' };
    const { said } = await play([
      httpProbe(`${peer.url}/first`, { name: 'first', runProperties: RUN }),
      httpProbe(`${peer.url}/delayed`, { name: 'delayed', runProperties }),
    ]);
    assert.equal(said, 'Pass Completed');
    const [[, first], [path, delayed]] = times as [[string, number], [string, number]];
    assert.equal(path, '/delayed');
    assert.ok(delayed - first >= 998, `${delayed - first} ms`);
  });

  test('outputs of earlier probes arrive in commands, URLs and names as they are', async () => {
    const namespace = await cluster.namespace();
    await cluster.client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name: 'made.up' } }, { namespace });
    const bodies: string[] = [];
    await using peer = await startPeer(async (request, response) => {
      bodies.push(new URL(request.url ?? '', 'http://x').searchParams.get('q') ?? '');
      await bodyOf(request);
      response.end();
    });
    const output = '{{ .special-text.ProbeArtifacts.Register }}';
    const text = `a<b>&"c" $HOME`;
    const { said, result } = await play(
      [
        cmdProbe(`printf '%s' 'a<b>&"c" $HOME'`, text, { name: 'special-text', runProperties: RUN }),
        cmdProbe(`cat <<'END'\n${output}\nEND`, text, { name: 'in-a-command', runProperties: RUN }),
        httpProbe(`${peer.url}/?q=<{{ .word.ProbeArtifacts.Register }}>`, {
          name: 'in-a-url',
          mode: 'EOT',
          runProperties: RUN,
        }),
        cmdProbe('echo made.up', 'made.up', { name: 'word', mode: 'Edge', runProperties: RUN }),
        k8sProbe(
          { resource: 'configmaps', namespace, resourceNames: '{{ .word.ProbeArtifacts.Register }}' },
          { name: 'in-a-name', mode: 'EOT', runProperties: RUN },
        ),
      ],
      1,
      namespace,
    );
    assert.equal(said, 'Pass Completed', JSON.stringify(statusesOf(result)));
    assert.deepEqual(bodies, ['<made.up>']);
  });

  test('objects are created and deleted, once also beside the chaos, and then are there or not', async () => {
    const namespace = await cluster.namespace();
    const object = (operation: 'present' | 'absent' | 'create' | 'delete', rest: Partial<Probe>): Probe =>
      k8sProbe(
        { resource: 'configmaps', namespace, resourceNames: 'made', operation },
        { runProperties: RUN, name: `${operation}-${rest.mode}`, ...rest },
      );
    const data = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: made }\n';
    const { said, result } = await play(
      [
        object('absent', { mode: 'SOT' }),
        object('create', { mode: 'Continuous', data }),
        // It is done once the fault is in force.
        object('absent', { mode: 'SOT', name: 'still-absent' }),
        object('present', { mode: 'EOT' }),
        object('delete', { mode: 'EOT' }),
      ],
      2,
      namespace,
    );
    assert.equal(said, 'Pass Completed', JSON.stringify(statusesOf(result)));
    const { items } = await cluster.client.list(CONFIG_MAPS, { namespace });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name).filter((name) => name === 'made'),
      [],
    );
  });

  test('a probe that cannot be evaluated ends the run as an Error that names it', async () => {
    const table: readonly [Probe, string][] = [
      [cmdProbe('exit 3', ''), 'CMD_PROBE_ERROR'],
      [withAuthorities('/none.pem'), 'HTTP_PROBE_ERROR'],
      [k8sProbe({ resource: 'wodgets' }), 'K8S_PROBE_ERROR'],
      [sloProbe(REFUSING_URL), 'SLO_PROBE_ERROR'],
    ];
    await Promise.all(
      table.map(async ([probe, code]) => {
        const { said, hit, result } = await play([{ ...probe, runProperties: RUN }], 1);
        assert.equal(said, `Error Error ${code}`);
        assert.equal(hit, 0, code);
        assert.deepEqual(verdictsOf(result), [`${probe.name} N/A`], code);
        const { reason } = result.status?.experimentStatus?.errorOutput ?? {};
        assert.match(reason ?? '', new RegExp(probe.name), code);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Player } from '@turnsole/workflows/engine/testing/player';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { buildWorkflowReport } from './build-workflow.ts';
import { toJUnit } from './junit.ts';
import type { EngineReport, WorkflowReport } from './model.ts';
import { exitCodeOf } from './outcome/of-report.ts';
import { workflowCases } from './workflow-suite.ts';

const SPEC = `
entrypoint: main
templates:
  - name: main
    steps:
      - - {name: a, template: pod}
        - {name: b, template: pod, when: 1 == 2}
  - name: pod
    container: {image: i}`;

function played(phase: 'Succeeded' | 'Failed'): Workflow {
  const player = new Player(SPEC);
  player.now += 2000;
  player.finish('a', phase);
  const { workflow, status, nodes } = player.run;
  return { ...workflow, status: { ...status, nodes: Object.fromEntries(nodes) } };
}

const ENGINE = {
  metadata: { name: 'e', namespace: 'n', uid: 'x' },
  spec: { experiments: [{ name: 'pod-delete' }] },
  status: {
    engineStatus: 'completed',
    experiments: [{ name: 'pod-delete', status: 'Completed', verdict: 'Fail' }],
    timeline: [
      {
        time: '2026-01-01T00:00:01.500Z',
        actor: 'operator',
        step: 'EngineInitialized',
        message: 'run begins',
      },
    ],
  },
};

function reportOf(phase: 'Succeeded' | 'Failed', reason?: string) {
  // Of an engine, a report reads these fields.
  const engines = [{ engine: ENGINE, results: [] }] as unknown as Parameters<
    typeof buildWorkflowReport
  >[0]['engines'];
  return buildWorkflowReport({ workflow: played(phase), engines, ...(reason !== undefined && { reason }) });
}

describe('the report of a workflow', () => {
  it('has its nodes, names its engines, and holds their steps in its timeline', () => {
    const { workflow, engines } = reportOf('Failed');
    assert.deepEqual(
      workflow.nodes.map(({ name, type, phase }) => [name, type, phase]),
      [
        ['w', 'Steps', 'Failed'],
        ['w[0]', 'StepGroup', 'Failed'],
        ['w[0].a', 'Pod', 'Failed'],
        ['w[0].b', 'Skipped', 'Skipped'],
      ],
    );
    assert.deepEqual([workflow.engines, engines[0]?.workflow], [['n/e'], 'w']);
    assert.deepEqual(
      workflow.timeline.map(({ step }) => step),
      [
        'WorkflowStarted',
        'NodeStarted',
        'NodeStarted',
        'NodeSkipped',
        'EngineInitialized',
        'NodeFailed',
        'NodeFailed',
        'WorkflowFailed',
      ],
    );
  });

  it('is a suite of JUnit with a case for each node that does something', () => {
    const { workflow, engines } = reportOf('Failed');
    const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:03Z' };
    const xml = toJUnit({ turnsole: '1', ...times, aborted: false, engines, workflows: [workflow] });
    assert.match(xml, /<testsuites name="turnsole" tests="4" failures="3" errors="0" skipped="1"/);
    assert.match(xml, /<testsuite name="workflow n\/w" tests="3" failures="2" errors="0" skipped="1"/);
    assert.match(
      xml,
      /<testcase name="w\[0\]\.a" classname="n\.w" time="2\.000">\n {6}<failure message="main: Error \(exit code 1\)"\/>/,
    );
    assert.match(xml, /<skipped message="when &apos;|<skipped message="when '1 == 2' evaluated false"/);
  });

  it('is no pass where there is a reason against it, though it succeeded', () => {
    const { workflow } = reportOf('Succeeded', 'no engine was made');
    const [whole] = workflowCases(workflow, []);
    assert.deepEqual([whole?.kind, whole?.message], ['error', 'no engine was made']);
  });
});

describe('exitCodeOf with workflows', () => {
  const workflow = (phase: string, reason?: string): WorkflowReport => ({
    namespace: 'n',
    name: 'w',
    phase,
    nodes: [{ name: 'w', displayName: 'w', type: 'Pod', phase }],
    engines: [],
    timeline: [],
    ...(reason !== undefined && { reason }),
  });
  const engine = (verdict: string): EngineReport => ({
    namespace: 'n',
    name: 'e',
    status: 'completed',
    experiments: [{ name: 'x', verdict, probes: [], targets: [] }],
    timeline: [],
  });
  const TABLE: readonly (readonly [
    name: string,
    code: number,
    workflows: WorkflowReport[],
    engines: EngineReport[],
  ])[] = [
    ['a workflow that succeeded, without an engine', 0, [workflow('Succeeded')], []],
    ['one whose engine passed', 0, [workflow('Succeeded')], [engine('Pass')]],
    ['one that succeeded, and whose engine failed', 1, [workflow('Succeeded')], [engine('Fail')]],
    ['one that failed, and whose engine passed', 1, [workflow('Failed')], [engine('Pass')]],
    ['one with an error', 1, [workflow('Error')], []],
    ['one that no controller has run', 3, [workflow('Pending', 'no controller')], []],
    ['one that succeeded without its engine', 3, [workflow('Succeeded', 'no engine')], []],
    ['one that was refused', 3, [{ ...workflow('Failed'), nodes: [], message: 'invalid spec: x' }], []],
    ['one of two that failed', 1, [workflow('Succeeded'), workflow('Failed')], []],
  ];
  for (const [name, code, workflows, engines] of TABLE) {
    it(`is ${code}: ${name}`, () => assert.equal(exitCodeOf({ aborted: false, engines, workflows }), code));
  }
});

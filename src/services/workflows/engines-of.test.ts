import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fnv32a, podNameOf } from '@turnsole/workflows/kinds/pod-names';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { enginesOf } from './engines-of.ts';

const data = (metadata: string): string =>
  `apiVersion: litmuschaos.io/v1alpha1\nkind: ChaosEngine\nmetadata: ${metadata}\nspec: {}\n`;

/** A workflow whose steps bring engines with this metadata along. */
function workflow(...metadata: readonly string[]): Workflow {
  return {
    metadata: {
      name: 'w',
      namespace: 'litmus',
      uid: 'of-w',
      creationTimestamp: '2026-01-01T00:00:10Z',
    },
    spec: {
      entrypoint: 'main',
      arguments: { parameters: [{ name: 'ns', value: 'shop' }] },
      templates: [
        {
          name: 'main',
          inputs: {
            artifacts: metadata.map((one, index) => ({
              name: `a${index}`,
              path: `/tmp/${index}.yaml`,
              raw: { data: data(one) },
            })),
          },
          container: { image: 'litmus-checker', args: ['-file=/tmp/0.yaml'] },
        },
      ],
    },
  };
}

function engine(metadata: Partial<ChaosEngine['metadata']>): ChaosEngine {
  const created = { creationTimestamp: '2026-01-01T00:00:20Z' };
  // Its metadata alone is looked at.
  return { metadata: { name: 'e', namespace: 'litmus', ...created, ...metadata } } as ChaosEngine;
}

describe('enginesOf', () => {
  const ROWS: readonly {
    readonly name: string;
    readonly brings: readonly string[];
    readonly engine: Partial<ChaosEngine['metadata']>;
    readonly is: boolean;
  }[] = [
    {
      name: 'one with its uid in the label of Litmus',
      brings: [],
      engine: { labels: { workflow_run_id: 'of-w' } },
      is: true,
    },
    {
      name: 'one of its name with the label of another run',
      brings: ['{ name: e }'],
      engine: { labels: { workflow_run_id: 'of-another' } },
      is: false,
    },
    {
      name: 'one that it owns',
      brings: [],
      engine: { ownerReferences: [{ apiVersion: 'v1', kind: 'Workflow', name: 'w', uid: 'of-w' }] },
      is: true,
    },
    { name: 'one of the name in an artifact', brings: ['{ name: e }'], engine: {}, is: true },
    {
      name: 'one of that name that was there before',
      brings: ['{ name: e }'],
      engine: { creationTimestamp: '2026-01-01T00:00:05Z' },
      is: false,
    },
    { name: 'one of that name elsewhere', brings: ['{ name: e }'], engine: { namespace: 'shop' }, is: false },
    {
      name: 'one in the namespace that a parameter names',
      brings: ['{ name: e, namespace: "{{workflow.parameters.ns}}" }'],
      engine: { namespace: 'shop' },
      is: true,
    },
    {
      name: 'one whose name the cluster drew',
      brings: ['{ generateName: pod-delete- }'],
      engine: { name: 'pod-delete-abcde' },
      is: true,
    },
    {
      name: 'one whose name holds what is known at run time',
      brings: ['{ name: "e-{{pod.name}}" }'],
      engine: { name: 'e-w-123' },
      is: true,
    },
    { name: 'any other', brings: ['{ name: e }'], engine: { name: 'f' }, is: false },
  ];
  for (const { name, brings, engine: metadata, is } of ROWS) {
    it(`${is ? 'has' : 'has not'} ${name}`, () => {
      assert.equal(enginesOf(workflow(...brings), NO_TEMPLATES).has(engine(metadata)), is);
    });
  }

  it('looks into the namespaces of the workflow and of its engines', () => {
    const of = enginesOf(workflow('{ name: a, namespace: shop }', '{ name: b }'), NO_TEMPLATES);
    assert.deepEqual(of.namespaces, ['litmus', 'shop']);
  });

  it('knows results of engines that are gone by the name of their engine', () => {
    const of = enginesOf(workflow('{ generateName: pod-delete- }'), NO_TEMPLATES);
    const result = (name: string): ChaosResult =>
      ({ metadata: { name: 'r', namespace: 'litmus' }, spec: { engine: name } }) as ChaosResult;
    assert.deepEqual([of.hasResult(result('pod-delete-x')), of.hasResult(result('other'))], [true, false]);
  });

  it('sees engines in here-documents of a command', () => {
    const { spec, ...rest } = workflow();
    const source = `set -e\nkubectl apply -f - <<'END'\n${data('{ name: e }')}END\necho applied`;
    const scripted = {
      ...rest,
      spec: { ...spec, templates: [{ name: 'main', script: { image: 'k8s', source } }] },
    };
    assert.equal(enginesOf(scripted, NO_TEMPLATES).has(engine({})), true);
  });

  const NOT_MADE: readonly (readonly [
    name: string,
    brings: string,
    phase: 'Succeeded' | 'Failed' | 'Skipped' | undefined,
    made: readonly string[],
    missing: readonly string[],
    whole?: 'Succeeded' | 'Failed' | 'Running',
  ])[] = [
    ['its step succeeded', '{ name: e }', 'Succeeded', [], ['e (artifact a0 of template main)']],
    [
      'another was made in its place',
      '{ name: e }',
      'Succeeded',
      ['f'],
      ['e (artifact a0 of template main)'],
    ],
    ['it was made', '{ name: e }', 'Succeeded', ['e'], []],
    ['it was made with a drawn name', '{ generateName: e- }', 'Succeeded', ['e-x'], []],
    [
      'none with its drawn name',
      '{ generateName: e- }',
      'Succeeded',
      [],
      ['e-* (artifact a0 of template main)'],
    ],
    [
      'its step failed, and the workflow went on',
      '{ name: e }',
      'Failed',
      [],
      ['e (artifact a0 of template main)'],
    ],
    ['its step was skipped', '{ name: e }', 'Skipped', [], []],
    ['its step was skipped, and the workflow failed', '{ name: e }', 'Skipped', [], [], 'Failed'],
    [
      'the workflow failed before its step',
      '{ name: e }',
      undefined,
      [],
      ['e (artifact a0 of template main)'],
      'Failed',
    ],
    ['the workflow failed after it was made', '{ name: e }', 'Succeeded', ['e'], [], 'Failed'],
    ['its step is to come', '{ name: e }', undefined, [], [], 'Running'],
    ['its step was not to come', '{ name: e }', undefined, [], [], 'Succeeded'],
  ];
  for (const [name, brings, phase, made, missing, whole] of NOT_MADE) {
    it(`knows which engines are missing: ${name}`, () => {
      const begun = workflow(brings);
      const node = { id: 'w', name: 'w', displayName: 'w', templateName: 'main' };
      const type = phase === 'Skipped' ? ('Skipped' as const) : ('Pod' as const);
      const nodes: Record<string, NodeStatus> = phase === undefined ? {} : { w: { ...node, phase, type } };
      const ended = { ...begun, status: { nodes, ...(whole !== undefined && { phase: whole }) } };
      const engines = made.map((one) => engine({ name: one }));
      assert.deepEqual(enginesOf(begun, NO_TEMPLATES).notMade(ended, engines), missing);
    });
  }
});

describe('the step that made an engine', () => {
  const pod = (name: string, templateName: string): NodeStatus => ({
    ...{ id: `w-${fnv32a(name)}`, name, displayName: name.replace(/^.*\./, ''), type: 'Pod' },
    ...{ templateName, phase: 'Succeeded' },
  });
  const nodes = [pod('w[0].first', 'main'), pod('w[1].second', 'other')];
  const [first, second] = nodes;
  const rows: readonly {
    readonly name: string;
    readonly brings?: readonly string[];
    readonly nodes?: readonly NodeStatus[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly step: string | undefined;
  }[] = [
    {
      name: 'by the name of its pod',
      labels: { step_pod_name: podNameOf({ metadata: { name: 'w' } }, nodes[1] as NodeStatus) },
      step: 'second',
    },
    {
      name: 'by the id of its node, as pods were called before',
      labels: { step_pod_name: first?.id ?? '' },
      step: 'first',
    },
    { name: 'by the only step whose template brings it along', brings: ['{ name: e }'], step: 'first' },
    {
      name: 'unknown where two steps have that template',
      brings: ['{ name: e }'],
      nodes: [pod('w[0].first', 'main'), pod('w[1].second', 'main')],
      step: undefined,
    },
    {
      name: 'unknown where no step brings it along',
      nodes: second === undefined ? [] : [second],
      brings: ['{ name: e }'],
      step: undefined,
    },
    { name: 'unknown for a label of no step', labels: { step_pod_name: 'other-1' }, step: undefined },
  ];
  for (const { name, brings = [], nodes: own = nodes, labels = {}, step } of rows) {
    it(name, () => {
      const planned = workflow(...brings);
      const current = {
        ...planned,
        status: { nodes: Object.fromEntries(own.map((node) => [node.id, node])) },
      };
      assert.equal(enginesOf(planned, NO_TEMPLATES).stepOf(current, engine({ labels })), step);
    });
  }
});

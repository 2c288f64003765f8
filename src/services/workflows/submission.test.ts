import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { parseParameters, undeclared } from './parameters.ts';
import { isSelected, labelSelectorOf } from './selection.ts';
import { parseSource, submissionOf, workflowOfSource } from './submission.ts';

const HEAD = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' };
const MANIFEST = {
  ...HEAD,
  // What the cluster draws a name for has none.
  metadata: { generateName: 'hello-', labels: { a: '1' } } as unknown as KubeObject['metadata'],
  spec: {
    entrypoint: 'main',
    arguments: { parameters: [{ name: 'p', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] },
    unknownField: { kept: true },
  },
};

describe('submissionOf', () => {
  it('puts values of the user over the manifest, and keeps unknown fields', () => {
    const workflow = submissionOf(MANIFEST, {
      parameters: parseParameters(['p=x=y', 'q=2']),
      namespace: 'shop',
      entrypoint: 'other',
      serviceAccount: 'sa',
      priority: 5,
      instanceId: 'i',
      labels: { b: '2' },
      annotations: { n: 'v' },
    });
    assert.deepEqual(workflow, {
      ...HEAD,
      metadata: {
        generateName: 'hello-',
        namespace: 'shop',
        labels: { a: '1', b: '2', 'workflows.argoproj.io/controller-instanceid': 'i' },
        annotations: { n: 'v' },
      },
      spec: {
        entrypoint: 'other',
        arguments: {
          parameters: [
            { name: 'p', value: 'x=y' },
            { name: 'q', value: '2' },
          ],
        },
        unknownField: { kept: true },
        serviceAccountName: 'sa',
        priority: 5,
      },
    });
  });

  it('is named as the user says', () => {
    const named = submissionOf(MANIFEST, { parameters: new Map(), name: 'mine' });
    assert.deepEqual([named.metadata.name, named.metadata.generateName], ['mine', undefined]);
    const drawn = submissionOf(MANIFEST, { parameters: new Map(), generateName: 'x-' });
    assert.deepEqual([drawn.metadata.name, drawn.metadata.generateName], [undefined, 'x-']);
  });

  it('refers to a template as a whole, and belongs to a CronWorkflow', () => {
    const template = { ...HEAD, kind: 'ClusterWorkflowTemplate', metadata: { name: 't' }, spec: {} };
    assert.deepEqual(workflowOfSource(template), {
      ...HEAD,
      metadata: { generateName: 't-', labels: { 'workflows.argoproj.io/cluster-workflow-template': 't' } },
      spec: { workflowTemplateRef: { name: 't', clusterScope: true } },
    });
    const cron = {
      ...HEAD,
      kind: 'CronWorkflow',
      metadata: { name: 'c', uid: 'u' },
      spec: {
        schedule: '@daily',
        workflowSpec: { entrypoint: 'e' },
        workflowMetadata: { labels: { l: '1' } },
      },
    };
    const { metadata, ...rest } = workflowOfSource(cron);
    assert.deepEqual(rest, { ...HEAD, spec: { entrypoint: 'e' } });
    assert.deepEqual(metadata.labels, { l: '1', 'workflows.argoproj.io/cron-workflow': 'c' });
    assert.equal(metadata.ownerReferences?.[0]?.uid, 'u');
  });

  it('refuses what it cannot read, and names undeclared values', () => {
    assert.throws(() => parseParameters(['nonsense']), /--parameter: expected name=value, found "nonsense"/);
    assert.throws(() => parseSource('pod/x'), /--from: expected workflowtemplate\/NAME/);
    assert.deepEqual(parseSource('cronwf/x'), { kind: 'CronWorkflow', name: 'x' });
    assert.deepEqual(undeclared(MANIFEST.spec.arguments, parseParameters(['p=1', 'q=2'])), ['q']);
  });
});

describe('which workflows are meant', () => {
  const SELECTORS: readonly (readonly [Parameters<typeof labelSelectorOf>[0], string | undefined])[] = [
    [{}, undefined],
    [{ running: true }, 'workflows.argoproj.io/completed!=true'],
    [{ completed: true }, 'workflows.argoproj.io/completed=true'],
    [{ status: ['Failed', 'Error'] }, 'workflows.argoproj.io/phase in (Failed,Error)'],
    [{ status: ['Pending'] }, undefined],
  ];
  for (const [selection, selector] of SELECTORS) {
    it(`${JSON.stringify(selection)} asks the server for ${selector}`, () => {
      assert.equal(labelSelectorOf(selection), selector);
    });
  }

  it('refuses what excludes one another, and phases that there are not', () => {
    assert.throws(() => labelSelectorOf({ running: true, completed: true }), /exclude one another/);
    assert.throws(
      () => labelSelectorOf({ status: ['Done'] }),
      /there is no phase Done; expected Pending, Running/,
    );
  });

  const NOW = Date.parse('2026-01-01T01:00:00Z');
  const workflow = (phase: 'Succeeded' | '', finishedAt?: string) => ({
    metadata: { name: 'hello-1', creationTimestamp: '2026-01-01T00:30:00Z' },
    spec: {},
    status: { phase, ...(finishedAt !== undefined && { finishedAt }) },
  });
  const TABLE: readonly (readonly [Parameters<typeof isSelected>[1], boolean])[] = [
    [{}, true],
    [{ sinceMs: 40 * 60_000 }, true],
    [{ sinceMs: 20 * 60_000 }, false],
    [{ olderMs: 10 * 60_000 }, true],
    [{ olderMs: 25 * 60_000 }, false],
    [{ status: ['Pending'] }, false],
    [{ prefix: 'hello' }, true],
    [{ prefix: 'bye' }, false],
  ];
  for (const [selection, expected] of TABLE) {
    it(`${JSON.stringify(selection)}: ${expected}`, () => {
      assert.equal(isSelected(workflow('Succeeded', '2026-01-01T00:40:00Z'), selection, NOW), expected);
    });
  }

  it('takes one that no controller has seen for pending, and none that runs for old', () => {
    assert.equal(isSelected(workflow(''), { status: ['Pending'] }, NOW), true);
    assert.equal(isSelected(workflow(''), { olderMs: 1 }, NOW), false);
  });
});

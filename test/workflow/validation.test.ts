/**
 * What validation says of Argo's examples, beside what the real controller said. They are data from outside of this project: in the folder
 * `TURNSOLE_ARGO`, or beside the checkout; without them the test is skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { decodeWorkflow, decodeWorkflowTemplate } from '@turnsole/workflows/kinds/decode/workflow';
import type { TemplateLibrary, TemplateObject } from '@turnsole/workflows/validation/library';
import { validateWorkflow } from '@turnsole/workflows/validation/validate-workflow';
import { parseAllDocuments } from 'yaml';

const FOLDER = process.env['TURNSOLE_ARGO'] ?? '../shared/argo';

/** Where ours says something else on purpose. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'v-bad-open-tag': 'an open tag ends with its text; the real one goes on through the JSON around it',
};

interface Manifest {
  readonly name: string;
  readonly object: KubeObject & { readonly kind: string; readonly spec?: unknown };
}

test('problems of examples are those of the real controller', { skip: !existsSync(FOLDER) }, () => {
  const manifests = readManifests();
  const library = libraryOf(manifests);
  const messages = recordedMessages();
  const wrong: string[] = [];
  for (const { name, object } of manifests) {
    if (!object.kind.endsWith('Workflow') && !object.kind.endsWith('WorkflowTemplate')) continue;
    if (object.kind === 'CronWorkflow' || name in DIFFERENCES) continue;
    const isLibrary = object.kind !== 'Workflow';
    const [first] = validateWorkflow(decodeWorkflow(object), { library, isLibrary });
    const expected = /^invalid spec: (.*)$/s.exec(messages.get(name) ?? '')?.[1];
    if (first?.text !== expected) wrong.push(`${name}: ${first?.text}, expected ${expected}`);
  }
  assert.deepEqual(wrong, []);
});

/** Every document that the YAML parser takes: it refuses five of the examples for their indentation, which Go's takes. */
function readManifests(): Manifest[] {
  return globSync(`${FOLDER}/{examples,variants}/**/*.yaml`).flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => {
      if (document.errors.length > 0) return [];
      // Manifests of Kubernetes, apart from empty documents.
      const object = document.toJS() as Partial<Manifest['object']> | null;
      const name = relative(FOLDER, file)
        .replace(/^\w+\/|\.yaml$/g, '')
        .replaceAll('/', '__');
      return object?.kind === undefined ? [] : [{ name, object: object as Manifest['object'] }];
    }),
  );
}

function libraryOf(manifests: readonly Manifest[]): TemplateLibrary {
  const objects = new Map<string, TemplateObject>();
  for (const { object } of manifests) {
    if (!object.kind.endsWith('WorkflowTemplate')) continue;
    const { spec } = decodeWorkflowTemplate(object);
    const isOfCluster = object.kind === 'ClusterWorkflowTemplate';
    objects.set(`${isOfCluster}/${object.metadata.name}`, {
      spec,
      path: `${object.kind}/${object.metadata.name}`,
    });
  }
  return { find: ({ name, clusterScope = false }) => objects.get(`${clusterScope}/${name}`) };
}

/** What became of each example: its name and the message of its status. */
function recordedMessages(): ReadonlyMap<string, string> {
  return new Map(
    globSync(`${FOLDER}/recorded/**/*.json`).flatMap((file) => {
      const recording = JSON.parse(readFileSync(file, 'utf8')) as {
        readonly example?: string;
        readonly status?: { readonly message?: string };
      };
      return recording.example === undefined ? [] : [[recording.example, recording.status?.message ?? '']];
    }),
  );
}

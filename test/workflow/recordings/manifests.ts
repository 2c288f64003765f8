import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { parseLenient } from '@turnsole/kube/text/lenient-yaml';
import type { Facts } from '@turnsole/workflows/engine/run';
import { decodeWorkflow, decodeWorkflowTemplate } from '@turnsole/workflows/kinds/decode/workflow';
import type { Workflow, WorkflowTemplate } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';

type Document = KubeObject & { readonly spec?: unknown; readonly data?: Readonly<Record<string, string>> };

function documentsOf(file: string): Document[] {
  return readDocuments(readFileSync(file, 'utf8'));
}

/** The objects of a manifest, as Go's reader of YAML understands it. */
export function readDocuments(text: string): Document[] {
  return parseLenient(text)
    .documents.map((document): Document => document.toJS({ maxAliasCount: -1 }))
    .filter((document) => document !== null);
}

/** The workflow of a manifest, under the name with which it was recorded. */
export function workflowOf(file: string, name: string): Workflow {
  const found = documentsOf(file).filter(({ kind }) => kind === 'Workflow');
  const document = found.find((candidate) => isNamed(candidate, name)) ?? found[0];
  if (document === undefined) throw new Error(`${file} has no Workflow`);
  const { generateName: _generated, ...metadata } = document.metadata;
  return decodeWorkflow({
    ...document,
    metadata: {
      ...metadata,
      name,
      namespace: 'argo',
      uid: '<workflow uid>',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  });
}

function isNamed({ metadata }: Document, name: string): boolean {
  const base = metadata.name ?? metadata.generateName?.replace(/-$/, '') ?? '';
  return name === base || name.replace(/-\d+$/, '') === base;
}

/** Everything that the manifests of a folder may refer to. */
export function factsOf(folder: string): Facts {
  const workflowTemplates = new Map<string, WorkflowTemplate>();
  const clusterWorkflowTemplates = new Map<string, WorkflowTemplate>();
  const parameterConfigMaps = new Map<string, Readonly<Record<string, string>>>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.yaml')) continue;
    for (const document of documentsOf(join(folder, entry))) {
      const { name } = document.metadata;
      if (document.kind === 'WorkflowTemplate') workflowTemplates.set(name, decodeWorkflowTemplate(document));
      if (document.kind === 'ClusterWorkflowTemplate') {
        clusterWorkflowTemplates.set(name, decodeWorkflowTemplate(document));
      }
      if (document.kind === 'ConfigMap') parameterConfigMaps.set(name, document.data ?? {});
    }
  }
  return { workflowTemplates, clusterWorkflowTemplates, parameterConfigMaps };
}

/** The same templates as validation looks them up. */
export function libraryOf({ workflowTemplates, clusterWorkflowTemplates }: Facts): TemplateLibrary {
  return {
    find: ({ name, clusterScope = false }) => {
      const object = (clusterScope ? clusterWorkflowTemplates : workflowTemplates).get(name);
      return (
        object && { spec: object.spec, path: `${clusterScope ? 'cluster' : ''}workflowtemplate/${name}` }
      );
    },
  };
}

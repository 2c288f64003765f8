import type { KubeObject, Volume } from '@turnsole/kube/kinds/core';
import { isObject } from '@turnsole/kube/text/json';
import { KEEP, renderTags } from '@turnsole/workflows/expression/tags/render';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { ownerReference } from '@turnsole/workflows/kinds/owner-reference';
import type { WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';

/** A claim of `volumeClaimTemplates`, and the volume by which pods mount it. */
interface Claim {
  readonly object: KubeObject & { readonly spec?: unknown };
  readonly volume: Volume;
}

/**
 * The claims that a workflow needs before its first pod: `<workflow>-<name of the template>`, owned by the workflow. Pure.
 *
 * @param names of the workflow, for tags in the templates
 */
export function claimsOf(
  workflow: Workflow,
  { volumeClaimTemplates = [] }: Pick<WorkflowSpec, 'volumeClaimTemplates'>,
  names: ReadonlyMap<string, string>,
): Claim[] {
  const rendered = renderTags(JSON.stringify(volumeClaimTemplates), {
    lookup: (name) => names.get(name),
    evaluate: () => KEEP,
  });
  const templates: unknown[] = JSON.parse(rendered);
  return templates.filter(isObject).map((template): Claim => {
    const { metadata, status: _status, ...rest } = template;
    const given = isObject(metadata) ? metadata : {};
    const name = String(given['name'] ?? '');
    const claimName = `${workflow.metadata.name}-${name}`;
    const { namespace } = workflow.metadata;
    return {
      object: {
        ...rest,
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: claimName,
          namespace,
          labels: { ...textsOf(given['labels']), [LABEL_WORKFLOW]: workflow.metadata.name },
          annotations: textsOf(given['annotations']),
          ownerReferences: [ownerReference('Workflow', workflow)],
        },
      },
      volume: { name, persistentVolumeClaim: { claimName } },
    };
  });
}

function textsOf(value: unknown): Record<string, string> {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]))
    : {};
}

/** Whether a workflow's claims are deleted at its end: those of a failed workflow stay, unless `volumeClaimGC` says otherwise. Pure. */
export function claimsGo(strategy: string | undefined, phase: WorkflowPhase | undefined): boolean {
  return strategy === 'OnWorkflowCompletion' || phase === 'Succeeded';
}

import type { KubeObject } from '@turnsole/kube/kinds/core';
import { isObject } from '@turnsole/kube/text/json';
import type { CronWorkflow } from '../cron-workflow.ts';
import { wrongTypes } from '../manifest/wrong-types.ts';
import type { Workflow, WorkflowSpec, WorkflowStatus, WorkflowTemplate } from '../workflow.ts';
import { decodeItems } from './items.ts';
import { decodeArguments, decodeOutputs } from './parameters.ts';
import { withoutPlaceholders } from './placeholders.ts';
import { decodeHooks, decodeSynchronization, decodeTemplate } from './template.ts';

/**
 * Reads a Workflow as people and older programs write it: values of any type as text, old spellings as new ones, empty placeholders as
 * absent. Unknown fields stay, so that writing the object back loses nothing. It refuses nothing: that is validation's task.
 */
export function decodeWorkflow(
  raw: KubeObject & { readonly spec?: unknown; readonly status?: unknown },
): Workflow {
  const { spec, status, ...rest } = raw;
  return {
    ...rest,
    spec: decodeWorkflowSpec(spec),
    ...(isObject(status) && { status: decodeStatus(status) }),
  };
}

export function decodeWorkflowTemplate(raw: KubeObject & { readonly spec?: unknown }): WorkflowTemplate {
  // Nothing of what cannot be read as a whole is used: who refers to it finds no template in it.
  const spec = decodeWorkflowSpec(raw.spec);
  return { ...raw, spec: wrongTypes({ kind: 'WorkflowTemplate', spec }).length === 0 ? spec : {} };
}

export function decodeCronWorkflow(raw: KubeObject & { readonly spec?: unknown }): CronWorkflow {
  const spec = isObject(raw.spec) ? withoutPlaceholders(raw.spec) : {};
  const { schedule, schedules, ...rest } = spec;
  const listed = Array.isArray(schedules) ? schedules.map(String) : [];
  return {
    ...raw,
    spec: {
      ...rest,
      schedules: listed.length === 0 && typeof schedule === 'string' && schedule !== '' ? [schedule] : listed,
      workflowSpec: decodeWorkflowSpec(spec['workflowSpec']),
    },
  };
}

export function decodeWorkflowSpec(raw: unknown): WorkflowSpec {
  if (!isObject(raw)) return {};
  const spec = withoutPlaceholders(raw);
  const decoded: Record<string, unknown> = {
    ...spec,
    arguments: decodeArguments(raw['arguments']),
    hooks: decodeHooks(raw['hooks']),
    synchronization: decodeSynchronization(raw['synchronization']),
    templateDefaults: isObject(raw['templateDefaults']) ? decodeTemplate(raw['templateDefaults']) : undefined,
  };
  const templates = spec['templates'];
  if (templates !== undefined) decoded['templates'] = decodeItems(templates, decodeTemplate);
  return Object.fromEntries(Object.entries(decoded).filter(([, value]) => value !== undefined));
}

function decodeStatus(raw: Record<string, unknown>): WorkflowStatus {
  const status = withoutPlaceholders(raw);
  const outputs = decodeOutputs(raw['outputs']);
  if (outputs !== undefined) status['outputs'] = outputs;
  return status;
}

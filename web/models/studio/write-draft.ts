import { isJson, type Json, listAt, objectAt, textAt, withAt } from '../json/json.ts';
import { type Draft, EMPTY_DRAFT } from './draft.ts';
import { newSpec } from './new-workflow.ts';
import { groupsOf } from './steps.ts';
import { partsOf, type YamlForm } from './workflow-parts.ts';
import { named } from './write-engine.ts';
import { withTemplates } from './write-templates.ts';

/** A new manifest from a draft: a Workflow, or a CronWorkflow if it has a schedule. */
export function newManifest(draft: Draft, yaml: YamlForm): Json {
  const { name, agentNamespace } = EMPTY_DRAFT;
  const empty = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: agentNamespace, labels: { subject: name } },
    spec: newSpec(agentNamespace),
  };
  return writeDraft(empty, draft, yaml);
}

/**
 * Writes a draft into a manifest; fields that the form does not know stay as they are. A manifest that the form cannot show is returned
 * unchanged. Pure.
 */
export function writeDraft(object: Json, draft: Draft, yaml: YamlForm): Json {
  const parts = partsOf(object, yaml);
  if ('reason' in parts) return object;
  const namespace = textAt(object, 'metadata', 'namespace');
  const steps = [
    ...parts.before,
    ...groupsOf(draft.steps).map((group) =>
      group.map(
        (step) =>
          parts.groups.flat().find(({ template }) => template === step.name) ?? {
            name: step.name,
            template: step.name,
          },
      ),
    ),
    ...parts.after,
  ];
  const templates = withTemplates(parts, { draft, steps }, yaml);
  const spec = withAgent({ ...parts.spec, templates }, namespace, draft.agentNamespace);
  const placed = withAt(object, ['metadata', 'namespace'], draft.agentNamespace);
  const called = withAt(placed, ['metadata', 'name'], draft.name);
  const labelled = named(called, ['metadata', 'labels', 'subject'], draft.name);
  return withSchedule(labelled, spec, draft);
}

/** Sets the agent's namespace, which is a parameter of the workflow. */
function withAgent(spec: Json, before: string, after: string): Json {
  if (before === after) return spec;
  const parameters = listAt(spec, 'arguments', 'parameters').map((parameter) =>
    isJson(parameter) && parameter.name === 'adminModeNamespace' ? { ...parameter, value: after } : parameter,
  );
  return parameters.length === 0 ? spec : withAt(spec, ['arguments', 'parameters'], parameters);
}

function withSchedule(object: Json, spec: Json, { cron, timezone }: Draft): Json {
  if (cron === '') return { ...object, kind: 'Workflow', spec };
  const before = object.kind === 'CronWorkflow' ? objectAt(object, 'spec') : {};
  const hasList = listAt(before, 'schedules').length > 0;
  const timed = {
    ...before,
    ...(hasList ? { schedules: [cron] } : { schedule: cron }),
    ...(timezone === '' ? {} : { timezone }),
    workflowSpec: spec,
  };
  return {
    ...object,
    kind: 'CronWorkflow',
    spec: timezone === '' ? withAt(timed, ['timezone'], undefined) : timed,
  };
}

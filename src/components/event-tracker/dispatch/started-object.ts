import type { KubeObject } from '@turnsole/kube/kinds/core';
import { apiVersionOf, type Resource } from '@turnsole/kube/kinds/resources';
import { WORKFLOW_TEMPLATES, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import {
  CHAOS_ENGINES,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosSchedule,
  type EventTrackerPolicySpec,
  LABEL_TRIGGER,
  type PolicyTrigger,
  type StartedKind,
} from '../../../api/index.ts';
import { occurrenceOf } from '../../../chaos/schedule/occurrence.ts';

/** What a policy names. */
export type Start = NonNullable<EventTrackerPolicySpec['start']>;

/** The kinds that a policy may start: how each is read, and which object follows from it. */
export const STARTED: Readonly<
  Record<StartedKind, { readonly template: Resource; readonly made: Resource }>
> = {
  WorkflowTemplate: { template: WORKFLOW_TEMPLATES, made: WORKFLOWS },
  ChaosEngine: { template: CHAOS_ENGINES, made: CHAOS_ENGINES },
  ChaosSchedule: { template: CHAOS_SCHEDULES, made: CHAOS_ENGINES },
};

/** Workflow controllers run those with their own instance id. */
const LABEL_INSTANCE_ID = 'workflows.argoproj.io/controller-instanceid';
/** Names of started objects become labels of 63 characters, and parts of the names of pods. */
const MAX_TEMPLATE_CHARACTERS = 40;

/** Name of what a trigger starts: the same however often it is tried. Pure. */
function startedName({ name }: Start, { id }: PolicyTrigger): string {
  return `${name.slice(0, MAX_TEMPLATE_CHARACTERS).replace(/[-.]+$/, '')}-${id.slice(0, 12)}`;
}

/** The object that a trigger starts, made of the template that its policy names. Pure. */
export function startedObject(
  start: Start,
  template: KubeObject,
  trigger: PolicyTrigger,
  namespace: string,
): KubeObject {
  const name = startedName(start, trigger);
  const own = { [LABEL_TRIGGER]: trigger.id };
  switch (start.kind) {
    case 'WorkflowTemplate':
      return workflowOf(start, template, { name, namespace, labels: own });
    case 'ChaosEngine': {
      const { metadata, spec } = template as ChaosEngine;
      const engine = {
        metadata: { name, namespace, labels: { ...metadata.labels, ...own } },
        spec: { ...spec, engineState: 'active' },
      };
      return { apiVersion: apiVersionOf(CHAOS_ENGINES), kind: CHAOS_ENGINES.kind, ...engine };
    }
    case 'ChaosSchedule': {
      const engine = occurrenceOf(template as ChaosSchedule, name);
      return {
        ...engine,
        metadata: { ...engine.metadata, namespace, labels: { ...engine.metadata.labels, ...own } },
      };
    }
  }
}

function workflowOf(
  { name: template, parameters }: Start,
  { metadata }: KubeObject,
  place: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  },
): KubeObject {
  const instance = metadata.labels?.[LABEL_INSTANCE_ID];
  const labels = { ...place.labels, ...(instance === undefined ? {} : { [LABEL_INSTANCE_ID]: instance }) };
  const given = Object.entries(parameters ?? {}).map(([name, value]) => ({ name, value }));
  const spec = {
    workflowTemplateRef: { name: template },
    ...(given.length === 0 ? {} : { arguments: { parameters: given } }),
  };
  const workflow = {
    apiVersion: apiVersionOf(WORKFLOWS),
    kind: WORKFLOWS.kind,
    metadata: { ...place, labels },
    spec,
  };
  return workflow;
}

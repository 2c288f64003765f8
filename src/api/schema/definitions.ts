/** The definitions of the chaos kinds, made from their schemas. Loads TypeBox: for generate.ts and tests only. */

import type { Resource } from '@turnsole/kube/kinds/resources';
import {
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
} from '@turnsole/kube/schema/definition';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import type { TSchema } from 'typebox';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  EVENT_TRACKER_POLICIES,
} from '../resources.ts';
import { chaosEngineSchema } from './engine.ts';
import { eventTrackerPolicySchema } from './event-tracker-policy.ts';
import { chaosExperimentSchema } from './experiment.ts';
import { chaosResultSchema } from './result.ts';
import { chaosScheduleSchema } from './schedule.ts';

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function column(name: string, jsonPath: string, type = 'string', priority?: number): PrinterColumn {
  return { name, type, jsonPath, ...(priority === undefined ? {} : { priority }) };
}

interface Kind {
  readonly resource: Resource;
  readonly schema: TSchema;
  readonly columns: readonly PrinterColumn[];
  readonly hasStatusSubresource?: boolean;
}

const KINDS: readonly Kind[] = [
  {
    resource: CHAOS_ENGINES,
    schema: chaosEngineSchema,
    columns: [
      column('State', '.spec.engineState'),
      column('Status', '.status.engineStatus'),
      // A column shows one value of a list: the first experiment, but the verdict of all.
      column('Experiment', '.spec.experiments[0].name'),
      column('Verdict', '.status.verdict'),
      AGE,
    ],
  },
  {
    resource: CHAOS_EXPERIMENTS,
    schema: chaosExperimentSchema,
    columns: [
      column('Scope', '.spec.definition.scope'),
      column('Image', '.spec.definition.image', 'string', 1),
      AGE,
    ],
  },
  {
    resource: CHAOS_RESULTS,
    schema: chaosResultSchema,
    columns: [
      column('Phase', '.status.experimentStatus.phase'),
      column('Verdict', '.status.experimentStatus.verdict'),
      column('Probes', '.status.experimentStatus.probeSuccessPercentage'),
      column('Engine', '.spec.engine', 'string', 1),
      AGE,
    ],
  },
  {
    resource: CHAOS_SCHEDULES,
    schema: chaosScheduleSchema,
    columns: [
      column('State', '.spec.scheduleState'),
      column('Status', '.status.schedule.status'),
      column('Runs', '.status.schedule.runInstances', 'integer'),
      // Empty unless the schedule cannot be carried out.
      column('Problem', '.status.conditions[?(@.type=="Runnable")].message'),
      column('Next', '.status.schedule.expectedNextRunTime', 'string', 1),
      AGE,
    ],
  },
  {
    resource: EVENT_TRACKER_POLICIES,
    schema: eventTrackerPolicySchema,
    // As in upstream's definition; a file that is applied anew then leaves what waits to be sent.
    hasStatusSubresource: true,
    columns: [
      column('Type', '.spec.condition_type'),
      column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
      column('Triggers', '.status.count', 'integer'),
      column('Problem', '.status.conditions[?(@.type=="Ready")].message', 'string', 1),
      AGE,
    ],
  },
];

/** The definitions of all chaos kinds, as plain JSON. */
export function chaosDefinitions(): CustomResourceDefinition[] {
  return KINDS.map(({ resource, schema, columns, hasStatusSubresource = false }) =>
    customResourceDefinition(resource, plainJson(schema), columns, { hasStatusSubresource }),
  );
}

/** A TypeBox schema without what TypeBox keeps for itself. */
function plainJson(schema: TSchema): StructuralSchema {
  return JSON.parse(JSON.stringify(schema));
}

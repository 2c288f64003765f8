/** The definitions of the chaos kinds, made from their schemas. Loads TypeBox: for generate.ts and tests only. */
import type { TSchema } from 'typebox';
import {
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
} from '../definition.ts';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  type Resource,
} from '../resources.ts';
import type { StructuralSchema } from '../validation/schema.ts';
import { chaosEngineSchema } from './engine.ts';
import { chaosExperimentSchema } from './experiment.ts';
import { chaosResultSchema } from './result.ts';
import { chaosScheduleSchema } from './schedule.ts';

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function column(name: string, jsonPath: string, type = 'string', priority?: number): PrinterColumn {
  return { name, type, jsonPath, ...(priority === undefined ? {} : { priority }) };
}

const KINDS: readonly { resource: Resource; schema: TSchema; columns: readonly PrinterColumn[] }[] = [
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
];

/** The definitions of all chaos kinds, as plain JSON. */
export function chaosDefinitions(): CustomResourceDefinition[] {
  return KINDS.map(({ resource, schema, columns }) =>
    customResourceDefinition(resource, plainJson(schema), columns),
  );
}

/** A TypeBox schema without what TypeBox keeps for itself. */
function plainJson(schema: TSchema): StructuralSchema {
  return JSON.parse(JSON.stringify(schema));
}

/**
 * The definitions of Argo's kinds. They check as little as Argo's own minimal ones, which LitmusChaos installs: the known fields of a
 * workflow depend on the release that wrote it, and its clients keep fields in it that no controller knows. The controller judges the
 * meaning. Argo's full definitions can be applied over them.
 */

import type { Resource } from '@turnsole/kube/kinds/resources';
import {
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
} from '@turnsole/kube/schema/definition';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import {
  CLUSTER_WORKFLOW_TEMPLATES,
  CRON_WORKFLOWS,
  WORKFLOW_ARTIFACT_GC_TASKS,
  WORKFLOW_EVENT_BINDINGS,
  WORKFLOW_TASK_RESULTS,
  WORKFLOW_TASK_SETS,
  WORKFLOW_TEMPLATES,
  WORKFLOWS,
} from '@turnsole/workflows/kinds/resources';

const ANYTHING: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const TYPE_AND_METADATA = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
} as const;

/** Server-side apply replaces it as a whole, so that a template that is no longer in the file is no longer in the object. */
const WHOLE: StructuralSchema = { ...ANYTHING, 'x-kubernetes-map-type': 'atomic' };

const SPEC_ONLY: StructuralSchema = {
  type: 'object',
  required: ['metadata', 'spec'],
  properties: { ...TYPE_AND_METADATA, spec: WHOLE },
};

const SPEC_AND_STATUS: StructuralSchema = {
  ...SPEC_ONLY,
  properties: { ...SPEC_ONLY.properties, status: WHOLE },
};

/** Several writers share these, each with a part of its own. */
const SHARED: StructuralSchema = {
  ...SPEC_ONLY,
  properties: { ...TYPE_AND_METADATA, spec: ANYTHING, status: ANYTHING },
};

/** A report has its fields (phase, outputs, progress, message) beside its metadata. */
const REPORT: StructuralSchema = { ...ANYTHING, required: ['metadata'], properties: TYPE_AND_METADATA };

const WORKFLOW_COLUMNS: readonly PrinterColumn[] = [
  { name: 'Status', type: 'string', jsonPath: '.status.phase', description: 'Phase of the workflow' },
  {
    name: 'Age',
    type: 'date',
    format: 'date-time',
    jsonPath: '.status.startedAt',
    description: 'When the workflow started',
  },
  { name: 'Message', type: 'string', jsonPath: '.status.message', description: 'Why it is in this phase' },
];

interface WorkflowKind {
  readonly resource: Resource;
  readonly schema: StructuralSchema;
  readonly shortNames?: readonly string[];
  readonly columns?: readonly PrinterColumn[];
  readonly hasStatusSubresource?: boolean;
}

const KINDS: readonly WorkflowKind[] = [
  { resource: WORKFLOWS, schema: SPEC_AND_STATUS, shortNames: ['wf'], columns: WORKFLOW_COLUMNS },
  { resource: WORKFLOW_TEMPLATES, schema: SPEC_ONLY, shortNames: ['wftmpl'] },
  { resource: CLUSTER_WORKFLOW_TEMPLATES, schema: SPEC_ONLY, shortNames: ['clusterwftmpl', 'cwft'] },
  { resource: CRON_WORKFLOWS, schema: SPEC_AND_STATUS, shortNames: ['cwf', 'cronwf'] },
  {
    resource: WORKFLOW_TASK_SETS,
    schema: SHARED,
    shortNames: ['wfts'],
    hasStatusSubresource: true,
  },
  { resource: WORKFLOW_TASK_RESULTS, schema: REPORT },
  {
    resource: WORKFLOW_ARTIFACT_GC_TASKS,
    schema: SHARED,
    shortNames: ['wfat'],
    hasStatusSubresource: true,
  },
  { resource: WORKFLOW_EVENT_BINDINGS, schema: SPEC_ONLY, shortNames: ['wfeb'] },
];

/** The definitions of all of Argo's workflow kinds. */
export const WORKFLOW_DEFINITIONS: readonly CustomResourceDefinition[] = KINDS.map(
  ({ resource, schema, columns = [], shortNames = [], hasStatusSubresource = false }) =>
    customResourceDefinition(resource, schema, columns, { shortNames, hasStatusSubresource }),
);

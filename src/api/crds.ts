/**
 * The definitions of the chaos kinds for code that serves or checks them: the embedded API server, the CLI, the
 * installer. Not exported by `index.ts`, because it loads the generated JSON.
 */

import type { Resource } from '@turnsole/kube/kinds/resources';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import definitions from './generated/crds.json' with { type: 'json' };
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  EVENT_TRACKER_POLICIES,
} from './resources.ts';

/** A chaos kind with its definition and schema. */
interface CustomResource {
  readonly resource: Resource;
  readonly definition: CustomResourceDefinition;
  readonly schema: StructuralSchema;
}

/** The chaos kinds: ChaosEngine, ChaosExperiment, ChaosResult, ChaosSchedule, EventTrackerPolicy. */
export const CUSTOM_RESOURCES: readonly CustomResource[] = [
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  EVENT_TRACKER_POLICIES,
].map(describe);

function describe(resource: Resource): CustomResource {
  const all: readonly CustomResourceDefinition[] = definitions;
  const definition = all.find(({ metadata }) => metadata.name === `${resource.plural}.${resource.group}`);
  const schema = definition?.spec.versions.find(({ name }) => name === resource.version)?.schema
    .openAPIV3Schema;
  if (definition === undefined || schema === undefined) {
    throw new Error(
      `the generated definitions hold no ${resource.kind} ${resource.version}; run "npm run generate"`,
    );
  }
  return { resource, definition, schema };
}

import { projectTermsOf } from '../../api/probe-types/index.ts';
import { authorship } from '../access/lists.ts';
import type { Probe } from '../schema/generated/types.ts';
import type { ProbeRow } from '../store/tables/probes.ts';
import { keptProbe } from './probe-rows.ts';
import { propertiesOf } from './properties.ts';

/** A probe as clients see it; `recentExecutions` is resolved on request. */
export function asProbe(row: ProbeRow): Probe {
  const probe = keptProbe(row);
  return {
    projectID: row.project_id,
    name: row.name,
    description: row.description,
    tags: JSON.parse(row.tags),
    type: row.type,
    infrastructureType: 'Kubernetes',
    kubernetesHTTPProperties: null,
    kubernetesCMDProperties: null,
    k8sProperties: null,
    promProperties: null,
    [projectTermsOf(row.type).properties]: propertiesOf(probe),
    recentExecutions: null,
    referencedBy: row.executions,
    ...authorship(row),
  };
}

import type {
  ExecutedByExperiment,
  Probe,
  RecentExecutions,
  Status,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a probe for the list. */
export type ListedProbe = Pick<Probe, 'name' | 'description' | 'type' | 'referencedBy' | 'updatedAt'> & {
  readonly recentExecutions: readonly { readonly status: Pick<Status, 'verdict'> }[] | null;
};

/** The probes of a project. */
export const PROBES: Document<
  { readonly listProbes: readonly (ListedProbe | null)[] },
  { projectID: string; name: string }
> = {
  text: `query Probes($projectID: ID!, $name: String) {
    listProbes(projectID: $projectID, filter: { name: $name }) {
      name description type referencedBy updatedAt recentExecutions { status { verdict } }
    }
  }`,
};

/** A result of a probe in a fault of an experiment. */
export interface Finding {
  readonly mode: RecentExecutions['mode'];
  readonly status: Pick<Status, 'verdict' | 'description'>;
  readonly executedByExperiment: Pick<ExecutedByExperiment, 'experimentName' | 'updatedAt'>;
}

/** Data of the page of a probe. */
export interface ProbeContent {
  readonly getProbe: Probe;
  readonly getProbeYAML: string;
  readonly getProbeReference: {
    readonly totalRuns: number;
    readonly recentExecutions: readonly ({
      readonly faultName: string;
      readonly executionHistory: readonly Finding[];
    } | null)[];
  };
}

/** Properties of probes of all types. */
const TIMES =
  'probeTimeout interval retry attempt probePollingInterval initialDelay evaluationTimeout stopOnFailure';

/** A probe in the form of experiments, with its last results. */
export const PROBE: Document<ProbeContent, { projectID: string; name: string }> = {
  text: `query Probe($projectID: ID!, $name: ID!) {
    getProbe(projectID: $projectID, probeName: $name) {
      name description tags type updatedAt
      kubernetesHTTPProperties {
        ${TIMES} url insecureSkipVerify
        method { get { criteria responseCode } post { contentType body bodyPath criteria responseCode } }
      }
      kubernetesCMDProperties { ${TIMES} command source comparator { type criteria value } }
      promProperties { ${TIMES} endpoint query queryPath comparator { type criteria value } }
      k8sProperties {
        ${TIMES} group version resource namespace resourceNames fieldSelector labelSelector operation
      }
    }
    getProbeYAML(projectID: $projectID, request: { probeName: $name, mode: SOT })
    getProbeReference(projectID: $projectID, probeName: $name) {
      totalRuns
      recentExecutions {
        faultName
        executionHistory {
          mode status { verdict description } executedByExperiment { experimentName updatedAt }
        }
      }
    }
  }`,
};

/** Deletes a probe. */
export const DELETE_PROBE: Document<unknown, { projectID: string; name: string }> = {
  text: `mutation DeleteProbe($projectID: ID!, $name: ID!) { deleteProbe(probeName: $name, projectID: $projectID) }`,
};

import type {
  ExperimentRun,
  InfraMetrics,
  PodLogRequest,
  PodLogResponse,
  RunPod,
  RunPods,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a run for its page. */
export type ShownRun = Pick<
  ExperimentRun,
  | 'experimentRunID'
  | 'experimentID'
  | 'experimentName'
  | 'executionData'
  | 'timeline'
  | 'details'
  | 'notifyID'
  | 'phase'
  | 'problem'
  | 'resiliencyScore'
  | 'runSequence'
  | 'createdAt'
  | 'updatedAt'
> & {
  readonly infra: Pick<ExperimentRun['infra'], 'infraID' | 'name' | 'isActive'> & {
    readonly metrics?: Pick<InfraMetrics, 'address'> | null;
  };
};

const FIELDS = `experimentRunID experimentID experimentName executionData timeline details notifyID phase problem resiliencyScore runSequence createdAt updatedAt
      infra { infraID name isActive metrics { address } }`;

/** One run, by its own ID or by that of its start request, which identifies it until its agent reports it. */
export const RUN: Document<{ readonly getExperimentRun: ShownRun }, { projectID: string; runID: string }> = {
  text: `query Run($projectID: ID!, $runID: ID!) {
    getExperimentRun(projectID: $projectID, experimentRunID: $runID, notifyID: $runID) {
      ${FIELDS}
    }
  }`,
};

/** The manifest of a run, as JSON text. */
export const RUN_MANIFEST: Document<
  { readonly getExperimentRun: Pick<ExperimentRun, 'experimentManifest'> },
  { projectID: string; runID: string }
> = {
  text: `query RunManifest($projectID: ID!, $runID: ID!) {
    getExperimentRun(projectID: $projectID, experimentRunID: $runID, notifyID: $runID) { experimentManifest }
  }`,
};

/** The same, now and after each change. */
export const RUN_CHANGES: Document<{ readonly watchRun: ShownRun }, { projectID: string; runID: string }> = {
  text: `subscription RunChanges($projectID: ID!, $runID: ID!) {
    watchRun(projectID: $projectID, experimentRunID: $runID, notifyID: $runID) {
      ${FIELDS}
    }
  }`,
};

/** Asks the agent of a run to stop it. */
export const STOP: Document<
  { readonly stopExperimentRuns: boolean },
  { projectID: string; experimentID: string; runID?: string; notifyID?: string | null }
> = {
  text: `mutation Stop($projectID: ID!, $experimentID: String!, $runID: String, $notifyID: String) {
    stopExperimentRuns(projectID: $projectID, experimentID: $experimentID, experimentRunID: $runID, notifyID: $notifyID)
  }`,
};

/** A pod of a run, and whether its log is still available. */
export type ShownRunPod = Pick<RunPod, 'namespace' | 'name' | 'container' | 'isThere'>;

/** The known pods of a run, and which of them exist. */
export const RUN_PODS: Document<
  { readonly getRunPods: Pick<RunPods, 'problem'> & { readonly pods: readonly ShownRunPod[] } },
  { projectID: string; runID: string }
> = {
  text: `subscription RunPods($projectID: ID!, $runID: ID!) {
    getRunPods(projectID: $projectID, experimentRunID: $runID) { problem pods { namespace name container isThere } }
  }`,
};

/** The log of a pod in pieces, including new lines. */
export const AGENT_LOG: Document<
  { readonly getPodLog: Pick<PodLogResponse, 'log'> },
  { readonly request: PodLogRequest }
> = {
  text: `subscription AgentLog($request: PodLogRequest!) { getPodLog(request: $request) { log } }`,
};

/** A run in the selection of an experiment's runs. */
export type RunChoice = Pick<ExperimentRun, 'experimentRunID' | 'runSequence' | 'phase' | 'createdAt'>;

/** The latest runs of an experiment, the newest first. */
export const RUNS_OF_EXPERIMENT: Document<
  { readonly listExperimentRun: { readonly experimentRuns: readonly (RunChoice | null)[] } },
  { projectID: string; experimentID: string }
> = {
  text: `query RunsOfExperiment($projectID: ID!, $experimentID: ID!) {
    listExperimentRun(projectID: $projectID, request: {
      experimentIDs: [$experimentID], pagination: { page: 0, limit: 50 }, sort: { field: TIME, ascending: false }
    }) {
      experimentRuns { experimentRunID runSequence phase createdAt }
    }
  }`,
};

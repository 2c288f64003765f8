import type { ErrorRow } from './row.ts';

/** Why the runner skips an experiment and goes on with the next: reasons of its Warning Events, as dashboards know them. */
export const SKIP_REASONS = {
  ExperimentNotFound: {
    means: 'the ChaosExperiment does not exist in the namespace of the engine, or defines nothing',
    todo: 'apply it, or correct the name in spec.experiments',
  },
  ExperimentDependencyCheck: {
    means: 'a ConfigMap, a Secret or a field that the experiment mounts is missing',
    todo: 'create what the message names',
  },
  EnvParseError: {
    means: 'the environment of the experiment cannot be put together',
    todo: 'the message names the variable and where its value was to come from',
  },
  SidecarPatchError: {
    means: 'a sidecar of the engine is incomplete',
    todo: 'fill in the field that the message names',
  },
  ExperimentImageRefused: {
    means: 'an image that is not known to obey would have to do what the engine asks for',
    todo: "leave the image out, so that Turnsole's own is used, or leave out what only Turnsole does",
  },
  JobCreationError: {
    means: 'the Job of the experiment could not be created',
    todo: 'the message has the words of the API server: permission, quota, admission',
  },
  ExperimentChaosContainerWatchError: {
    means: 'the pod of the experiment did not start, or could not be followed',
    todo: 'the message says what keeps the pod; see also its Events',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

/** Reasons of further Warning Events of the runner; the run goes on. */
export const RUNNER_WARNINGS = {
  ExperimentPodNotStarting: {
    means: 'the pod of the experiment does not start yet',
    todo: 'the message says what it waits for; ExperimentChaosContainerWatchError follows when that lasts',
  },
  ChaosNotReverted: {
    means: 'an experiment has died, and what it injected could not be reverted',
    todo: 'see `status.ledger` of the result; `turnsole halt` tries again',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

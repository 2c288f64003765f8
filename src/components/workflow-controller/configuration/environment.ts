import type { DeleteOptions } from '@turnsole/kube/client/types';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import type { Environment } from '@turnsole/kube/text/environment';
import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import { UsageError } from '../../../process/usage-error.ts';

/** What the environment says beside the flags. */
export interface EnvironmentSettings {
  /** Undefined where POD_NAMES is not set. */
  readonly podNames: 'v1' | 'v2' | undefined;
  /** LEADER_ELECTION_DISABLE: one controller alone. */
  readonly withoutElection: boolean;
  /** LEADER_ELECTION_IDENTITY, by which Argo's Deployment stands for election. */
  readonly isCandidate: boolean;
  readonly lease: {
    readonly leaseDurationMs?: number;
    readonly renewDeadlineMs?: number;
    readonly retryPeriodMs?: number;
  };
  readonly propagationPolicy?: DeleteOptions['propagationPolicy'];
  /** SKIP_WORKFLOW_DURATION_ESTIMATION. */
  readonly withoutEstimates: boolean;
  /** Variables that are set and change nothing, each with the reason. */
  readonly withoutEffect: readonly (readonly [variable: string, why: string])[];
}

const AT_ONCE = 'workflows are looked at as soon as something happens';

/** Variables of Argo's controller that change nothing here. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  DEFAULT_REQUEUE_TIME: AT_ONCE,
  MAX_OPERATION_TIME: 'a pass is short: it takes what has changed',
  CRON_SYNC_PERIOD: 'one timer waits for the next time of all CronWorkflows',
  WORKFLOW_GC_PERIOD: 'workflows are deleted when their time has come',
  RECENTLY_STARTED_POD_DURATION: 'the end of a pod is taken from the watch',
  RECENTLY_DELETED_POD_DURATION: 'the end of a pod is taken from the watch',
  TASK_RESULT_TIMEOUT_DURATION: 'reports are part of the pod',
  RESOURCE_STATE_CHECK_INTERVAL: 'resources are watched',
  ARGO_AGENT_PATCH_RATE: 'there are no agent pods',
  ARGO_AGENT_TASK_WORKERS: 'there are no agent pods',
  ARGO_PROGRESS_PATCH_TICK_DURATION: 'progress files are not read',
  ARGO_PROGRESS_FILE_TICK_DURATION: 'progress files are not read',
  SEMAPHORE_NOTIFY_DELAY: 'locks are handed over at once',
  ARGO_POD_STATUS_CAPTURE_FINALIZER: 'the end of a pod is taken from the watch',
  ARGO_REMOVE_PVC_PROTECTION_FINALIZER: 'claims go as soon as no pod uses them',
  RETRY_BACKOFF_DURATION: 'requests have a back-off of their own',
  RETRY_BACKOFF_FACTOR: 'requests have a back-off of their own',
  RETRY_BACKOFF_STEPS: 'requests have a back-off of their own',
  WORKFLOW_COMPRESSION_ALGORITHM: 'nodes are compressed by gzip',
  MAX_WORKFLOW_SIZE: 'nodes are compressed before the object grows over the limit of the API server',
};

/** Variables that turn on what this controller does not have, with the one value that it accepts. */
const REFUSED: Readonly<Record<string, readonly [harmless: string, why: string]>> = {
  ALWAYS_OFFLOAD_NODE_STATUS: ['false', 'there is no database for nodes'],
  EXPRESSION_TEMPLATES: ['true', 'expressions in tags cannot be switched off'],
  BUBBLE_ENTRY_TEMPLATE_ERR: ['true', 'an error of the entry template always ends the workflow'],
  DISABLE_MAX_RECURSION: ['false', 'the depth of templates is always limited'],
  TRANSIENT_ERROR_PATTERN: ['', 'what is tried again is not configurable'],
};

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;

/** Reads the environment. Pure. @throws UsageError that names the variable */
export function readEnvironment(env: Environment): EnvironmentSettings {
  for (const [variable, [harmless, why]] of Object.entries(REFUSED)) {
    const value = env[variable] ?? harmless;
    if (value !== harmless && value !== '')
      throw new UsageError(
        `environment variable ${variable} is ${JSON.stringify(value)}, which cannot be honoured: ${why}`,
      );
  }
  return {
    podNames: oneOf('POD_NAMES', env.POD_NAMES, ['v1', 'v2']),
    withoutElection: isOn('LEADER_ELECTION_DISABLE', env),
    isCandidate: (env['LEADER_ELECTION_IDENTITY'] ?? '') !== '',
    lease: withoutUndefined({
      leaseDurationMs: durationOf('LEADER_ELECTION_LEASE_DURATION', env),
      renewDeadlineMs: durationOf('LEADER_ELECTION_RENEW_DEADLINE', env),
      retryPeriodMs: durationOf('LEADER_ELECTION_RETRY_PERIOD', env),
    }),
    propagationPolicy: oneOf('WF_DEL_PROPAGATION_POLICY', env['WF_DEL_PROPAGATION_POLICY'], POLICIES),
    withoutEstimates: isOn('SKIP_WORKFLOW_DURATION_ESTIMATION', env),
    withoutEffect: Object.entries(WITHOUT_EFFECT).filter(([variable]) => (env[variable] ?? '') !== ''),
  };
}

function isOn(variable: string, env: Environment): boolean {
  return oneOf(variable, env[variable], ['true', 'false']) === 'true';
}

function oneOf<const Word extends string>(
  variable: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined || value === '') return undefined;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UsageError(
    `environment variable ${variable} is ${JSON.stringify(value)}; it may be ${words.join(' or ')}`,
  );
}

function durationOf(variable: string, env: Environment): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new UsageError(
      `environment variable ${variable} is ${JSON.stringify(text)}; expected is a duration such as 15s`,
      { cause: error },
    );
  }
}

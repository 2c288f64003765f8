import { ANNOTATION_CHAOS_OPT_IN } from '../../../api/index.ts';
import { DEFAULT_PROTECTED_NAMESPACES } from '../../../chaos/protected-namespaces.ts';
import type { TunableSchema } from '../tunables.ts';
import { choice, flag, integer, list, text } from './declare.ts';
import { MAX_CHAOS_SECONDS, MAX_LEASE_SECONDS, MAX_SHARE, MAX_WAIT_SECONDS } from './limits.ts';

/**
 * The settings every experiment has (compatibility reference, section 3.2). A fault's own table may give another default
 * for any of them.
 */
export const COMMON_TUNABLES = {
  EXPERIMENT_NAME: text(
    "Name for the result and for the probes' place in the engine; default: the fault's name.",
  ),
  CHAOSENGINE: text('Engine this run belongs to; empty: a run without engine, probes and engine Events.'),
  CHAOS_NAMESPACE: text('Namespace of engine, result, helpers and Events.', 'litmus'),
  CHAOS_UID: text('UID of the engine; label chaosUID.'),
  INSTANCE_ID: text('Suffix of the name of the result.'),
  RUN_ID: text('This run among all runs of the engine; drawn when absent.'),
  POD_NAME: text('The pod of this process.'),
  CHAOS_SERVICE_ACCOUNT: text('Service account of helper pods; default: that of the experiment pod.'),
  TARGETS: text('kind:namespace:[names or labels], several separated by semicolons.'),
  TOTAL_CHAOS_DURATION: integer(
    { default: 30, minimum: 1, maximum: MAX_CHAOS_SECONDS, unit: 'seconds' },
    'How long chaos lasts.',
  ),
  CHAOS_INTERVAL: integer(
    { default: 10, minimum: 0, maximum: MAX_CHAOS_SECONDS, unit: 'seconds' },
    'Time from one round to the next.',
  ),
  RAMP_TIME: integer(
    { default: 0, minimum: 0, maximum: MAX_WAIT_SECONDS, unit: 'seconds' },
    'Wait before the first injection and after the last.',
  ),
  SEQUENCE: choice(
    { choices: ['parallel', 'serial', 'random'], default: 'parallel' },
    'All targets at once, one after another, or a coin flip between both.',
  ),
  PODS_AFFECTED_PERC: integer(
    { default: 0, minimum: 0, maximum: MAX_SHARE, range: true, unit: 'percent' },
    'Share of the matching pods that is hit, at least one pod; more than 100 means all.',
  ),
  NODES_AFFECTED_PERC: integer(
    { default: 0, minimum: 0, maximum: MAX_SHARE, range: true, unit: 'percent' },
    'Share of the candidate nodes that is hit, at least one node; more than 100 means all.',
  ),
  FOLLOW_WORKLOAD: flag(
    true,
    'While a fault is held on pods, it is also put on pods that take the place of hit ones. false: only the pods that were chosen at first are hit; once they are gone, the fault is in force nowhere.',
  ),
  TARGET_PODS: list({}, 'Names of the pods to hit; no percentage applies.'),
  TARGET_CONTAINER: text('Container to hit; default: the first of each pod.'),
  TARGET_NODE: text('Node to hit.'),
  TARGET_NODES: list({}, 'Nodes to hit.'),
  NODE_LABEL: text('Label of the nodes that count: their pods, or the nodes themselves.'),
  PROTECTED_NAMESPACES: list(
    { default: DEFAULT_PROTECTED_NAMESPACES },
    'Namespaces whose pods are never targets. An operator that has this variable sets it for all its experiments; engines cannot change it then.',
  ),
  ALLOW_PROTECTED_NAMESPACES: list({}, 'Protected namespaces whose pods are meant all the same.'),
  DRY_RUN: flag(false, 'Plan only, inject nothing; set where spec.dryRun of the engine is true.'),
  ANNOTATION_CHECK: flag(
    false,
    'Hit only applications whose workload carries the annotation; set where spec.annotationCheck of the engine is "true".',
  ),
  ANNOTATION_KEY: text('Annotation by which an application agrees to chaos.', ANNOTATION_CHAOS_OPT_IN),
  ANNOTATION_VALUE: text('Value of that annotation.', 'true'),
  POD_TERMINATION_ORDER: choice(
    { choices: ['random', 'alphabetical', 'reverse'], default: 'random' },
    'Order in which the chosen pods are hit.',
  ),
  INTER_POD_KILL_INTERVAL_SECONDS: integer(
    { default: 0, minimum: 0, maximum: MAX_WAIT_SECONDS, unit: 'seconds' },
    'Further wait between two pods of a serial round.',
  ),
  DEFAULT_HEALTH_CHECK: flag(true, 'Check the health of the application before and after.'),
  AUXILIARY_APPINFO: text('Further applications to check: namespace:label, separated by commas.'),
  STATUS_CHECK_TIMEOUT: integer(
    { default: 180, minimum: 0, maximum: MAX_WAIT_SECONDS, unit: 'seconds' },
    'How long something may take to be healthy.',
  ),
  STATUS_CHECK_DELAY: integer(
    { default: 2, minimum: 0, maximum: MAX_WAIT_SECONDS, unit: 'seconds' },
    'Accepted and not needed: waits follow changes instead of a fixed delay.',
  ),
  LIB_IMAGE: text('Image of helper pods; default: that of the experiment pod.'),
  LIB_IMAGE_PULL_POLICY: choice(
    { choices: ['Always', 'IfNotPresent', 'Never'], default: 'Always' },
    'When the image of helper pods is pulled.',
  ),
  CONTAINER_RUNTIME: text('Accepted and not needed: containers are found by their cgroup.', 'containerd'),
  SOCKET_PATH: text(
    'Accepted and not needed: no runtime socket is mounted.',
    '/run/containerd/containerd.sock',
  ),
  SET_HELPER_DATA: flag(
    true,
    'Helper pods take over annotations, pull secrets, tolerations and resources of the experiment pod.',
  ),
  TERMINATION_GRACE_PERIOD_SECONDS: integer(
    { default: 0, minimum: 0, maximum: MAX_WAIT_SECONDS, unit: 'seconds' },
    'Grace period of helper pods; they always get enough to revert.',
  ),
  LEASE_SECONDS: integer(
    { default: 30, minimum: 3, maximum: MAX_LEASE_SECONDS, unit: 'seconds' },
    'Helpers revert by themselves when API server or experiment give no sign of life for this long.',
  ),
  JOB_CLEANUP_POLICY: choice(
    { choices: ['retain', 'delete'], default: 'retain' },
    'What happens to ended helper pods.',
  ),
  RANDOMNESS: flag(false, 'CHAOS_INTERVAL is an upper limit or a range from which each wait is drawn.'),
} as const satisfies TunableSchema;

/** The common settings, parsed. */
export type CommonTunables = typeof COMMON_TUNABLES;

/** TOTAL_CHAOS_DURATION of a fault that has another default, or more to say about it. */
export function chaosDuration(seconds: number, description: string) {
  return { ...COMMON_TUNABLES.TOTAL_CHAOS_DURATION, default: seconds, description } as const;
}

/** CHAOS_INTERVAL of a fault, likewise. */
export function chaosInterval(seconds: number, description: string) {
  return { ...COMMON_TUNABLES.CHAOS_INTERVAL, default: seconds, description } as const;
}

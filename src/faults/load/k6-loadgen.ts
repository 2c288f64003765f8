import { isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import type { Pod, Secret } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { PODS, SECRETS } from '@turnsole/kube/kinds/resources';
import type { InjectionEffect } from '../../api/index.ts';
import { ChaosError, InjectError } from '../../experiment/injection/errors.ts';
import type { Fault, FaultContext, Injection, PlanInput } from '../../experiment/injection/fault.ts';
import { type CommonTunables, chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { patterned, text } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { parseTraceParent } from '../../tracing/trace-context.ts';
import {
  awaitPod,
  createCompanionPod,
  lastLines,
  ownPod,
  removePod,
  runOf,
  runSettings,
} from '../companion/companion.ts';
import { k6Effect } from './k6-effect.ts';
import { describeEnd, grpcEndpoint, type K6Parameters, k6Pod, k6PodName } from './k6-pod.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long k6 makes load (its --duration).'),
  LIB_IMAGE: text('Image of k6; its entry point is k6.', 'ghcr.io/grafana/k6-operator:latest-runner'),
  SCRIPT_SECRET_NAME: patterned(
    { default: 'k6-script', pattern: '[a-z0-9]([-a-z0-9.]*[a-z0-9])?', form: 'the name of a Secret' },
    'Secret in the namespace of the engine that has the script.',
  ),
  SCRIPT_SECRET_KEY: patterned(
    { default: 'script.js', pattern: '[-._a-zA-Z0-9]+', form: 'a key of a Secret' },
    'Its key that holds the script.',
  ),
  OTEL_METRIC_PREFIX: text('What the names of the metrics begin with that k6 sends.', 'k6_'),
  OTEL_EXPORTER_OTLP_ENDPOINT: text('Receiver of the metrics (OTLP, gRPC); without one, none are sent.'),
  TRACE_PARENT: text('Trace that the load belongs to; set by the runner.'),
} as const satisfies TunableSchema;

type Settings = typeof tunables &
  Pick<
    CommonTunables,
    | 'CHAOS_NAMESPACE'
    | 'RUN_ID'
    | 'LIB_IMAGE_PULL_POLICY'
    | 'JOB_CLEANUP_POLICY'
    | 'STATUS_CHECK_TIMEOUT'
    | 'TERMINATION_GRACE_PERIOD_SECONDS'
  >;

/**
 * Makes load by a script of k6, in a pod of its own.
 *
 * What is touched: one pod is created. How it is undone: it is deleted, by a name that follows from the run; one that has ended
 * stays for its log unless JOB_CLEANUP_POLICY is `delete`. What remains if the experiment dies: the load, until recovery, or until
 * the pod's own deadline.
 */
const k6Loadgen: Fault<typeof tunables> = {
  name: 'k6-loadgen',
  summary: 'Makes load by a k6 script out of a Secret.',
  tunables,
  targets: 'none',
  shape: 'sustained',
  where: 'api',
  permissions: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'create', 'delete'] },
    // Not secrets: an account that runs load need not read them all. One that may gets a better message when the script is missing.
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ],
  injectMessage: 'Injecting k6-loadgen chaos',
  dependencies: ({ LIB_IMAGE, SCRIPT_SECRET_NAME, SCRIPT_SECRET_KEY }) => [
    { kind: 'Image', name: LIB_IMAGE, setting: 'LIB_IMAGE' },
    { kind: 'Secret', name: SCRIPT_SECRET_NAME, key: SCRIPT_SECRET_KEY, setting: 'SCRIPT_SECRET_NAME' },
  ],
  // The load hits what its script says.
  historyTarget: () => undefined,
  plan,
  inject,
  hold,
  effect,
  revert,
};

export default k6Loadgen;

/** Least grace period: enough for a program that ends on the signal. */
const MIN_GRACE_SECONDS = 1;

function plan({ tunables: settings, random }: PlanInput<Settings>): readonly Injection[] {
  const { CHAOS_NAMESPACE, RUN_ID, TOTAL_CHAOS_DURATION, OTEL_EXPORTER_OTLP_ENDPOINT } = settings;
  // Without a trace, the run is what k6's metrics can be found by.
  const traceId = parseTraceParent(settings.TRACE_PARENT)?.traceId ?? RUN_ID;
  const parameters: K6Parameters = {
    image: settings.LIB_IMAGE,
    pullPolicy: settings.LIB_IMAGE_PULL_POLICY,
    secret: settings.SCRIPT_SECRET_NAME,
    key: settings.SCRIPT_SECRET_KEY,
    seconds: TOTAL_CHAOS_DURATION,
    deadlineSeconds: TOTAL_CHAOS_DURATION + Math.max(settings.STATUS_CHECK_TIMEOUT, 30),
    graceSeconds: Math.max(settings.TERMINATION_GRACE_PERIOD_SECONDS, MIN_GRACE_SECONDS),
    ...(traceId === '' ? {} : { traceId }),
    ...(OTEL_EXPORTER_OTLP_ENDPOINT === ''
      ? {}
      : {
          metrics: {
            endpoint: grpcEndpoint(OTEL_EXPORTER_OTLP_ENDPOINT),
            prefix: settings.OTEL_METRIC_PREFIX,
          },
        }),
    keep: settings.JOB_CLEANUP_POLICY !== 'delete',
  };
  // Outside of an engine the run has no name.
  const name = k6PodName(RUN_ID === '' ? String(random()) : RUN_ID);
  return [{ id: 'load', target: { kind: 'pod', namespace: CHAOS_NAMESPACE, name }, parameters }];
}

/** The pod of an injection. */
function placeOf(injection: Injection): { name: string; namespace: string; run: string } {
  const { name, namespace = '' } = injection.target;
  return { name, namespace, run: runOf(injection) };
}

async function inject(injection: Injection, context: FaultContext): Promise<void> {
  // Only `plan` of this file makes injections of this fault.
  const parameters = injection.parameters as K6Parameters;
  const place = placeOf(injection);
  await assertScript(parameters, place.namespace, context);
  const own = await ownPod(context);
  await createCompanionPod(k6Pod(place, parameters, own, runSettings(context)), context);
  context.note('HelperCreated', `pod/${place.namespace}/${place.name}`, `k6 runs ${parameters.key}`);
  await awaitPod(place, (pod) => pod.status?.phase === 'Running' || isFinished(pod), context);
}

/** A pod without its Secret would wait in silence. An account that may not read Secrets finds out that way. */
async function assertScript(
  { secret, key }: K6Parameters,
  namespace: string,
  { client, signal }: FaultContext,
): Promise<void> {
  try {
    const { data = {} } = await client.get<Secret>(SECRETS, secret, { namespace, signal });
    if (key in data) return;
    const keys = Object.keys(data);
    throw new InjectError(
      `Secret ${namespace}/${secret} has no key ${key}; it has ${keys.length === 0 ? 'none' : keys.join(', ')}: set SCRIPT_SECRET_KEY`,
    );
  } catch (error) {
    if (isForbidden(error)) return;
    if (!isNotFound(error)) throw error;
    throw new InjectError(
      `there is no Secret ${namespace}/${secret} with the script; create it (kubectl create secret generic ${secret} ` +
        `--from-file ${key}), or set SCRIPT_SECRET_NAME`,
    );
  }
}

/** The load lasts as long as k6 says, within STATUS_CHECK_TIMEOUT after the time is over. */
async function hold(
  injections: readonly Injection[],
  context: FaultContext,
  durationMs: number,
): Promise<void> {
  for (const injection of injections) {
    const { name, namespace } = placeOf(injection);
    const pod = await awaitPod(
      { name, namespace },
      isFinished,
      context,
      durationMs + context.recoveryTimeoutMs,
    );
    const said = await lastLines(name, namespace, 'k6-loadgen', context);
    if (pod.status?.phase === 'Succeeded') {
      context.note('LoadEnded', `pod/${namespace}/${name}`, `k6 is done; its log ends with: ${said}`);
      continue;
    }
    throw new ChaosError(
      'HELPER_POD_FAILED_ERROR',
      `k6 failed in pod ${namespace}/${name} (${describeEnd(pod)}); its log ends with: ${said}`,
      { source: name },
    );
  }
}

/** Lines of its log that hold the summary of a run. */
const SUMMARY_LINES = 200;

async function effect(
  injection: Injection,
  { client, signal }: FaultContext,
): Promise<InjectionEffect | undefined> {
  const { name, namespace } = placeOf(injection);
  const log = await client.log(name, {
    namespace,
    container: 'k6-loadgen',
    tailLines: SUMMARY_LINES,
    signal,
  });
  return k6Effect(log);
}

async function revert(injection: Injection, context: FaultContext): Promise<void> {
  const { name, namespace } = placeOf(injection);
  const { client, signal } = context;
  const pod = await client.find<Pod>(PODS, name, { namespace, signal });
  if (pod === undefined) return;
  if (isFinished(pod) && (injection.parameters as K6Parameters).keep) return;
  await removePod(name, namespace, context);
}

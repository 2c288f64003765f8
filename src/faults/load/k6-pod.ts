/** The pod of a k6 run, and what its end means. All pure. */

import type { NewObject } from '@turnsole/kube/client/types';
import type { EnvVar, Pod } from '@turnsole/kube/kinds/core';
import { companionMetadata, inherited, type RunSettings, shortId } from '../companion/companion.ts';

/** Mount path of the Secret, as upstream. */
const SCRIPT_FOLDER = '/mnt';

/** Parameters of a run of k6, as the ledger keeps them. JSON. */
export interface K6Parameters extends Record<string, unknown> {
  readonly image: string;
  readonly pullPolicy: string;
  readonly secret: string;
  readonly key: string;
  readonly seconds: number;
  /** Ends a pod that no component reverts. */
  readonly deadlineSeconds: number;
  readonly graceSeconds: number;
  readonly traceId?: string;
  /** Receiver of k6's metrics (OTLP over gRPC) and what their names begin with. */
  readonly metrics?: { readonly endpoint: string; readonly prefix: string };
  /** The pod is left when it has ended by itself, for its log. */
  readonly keep: boolean;
}

/** Name of the pod; follows from the run, so that the component that reverts finds it. */
export function k6PodName(runId: string): string {
  return `k6-loadgen-helper-${shortId(runId)}`;
}

/** Arguments of k6; the image's entry point is k6 itself. */
export function k6Arguments({ key, seconds, traceId, metrics }: K6Parameters): string[] {
  return [
    'run',
    `${SCRIPT_FOLDER}/${key}`,
    '-q',
    '--duration',
    `${seconds}s`,
    ...(traceId === undefined ? [] : ['--tag', `trace_id=${traceId}`]),
    ...(metrics === undefined ? [] : ['--out', 'experimental-opentelemetry']),
  ];
}

function k6Environment({ metrics }: K6Parameters): EnvVar[] {
  if (metrics === undefined) return [];
  return [
    { name: 'K6_OTEL_METRIC_PREFIX', value: metrics.prefix },
    { name: 'K6_OTEL_GRPC_EXPORTER_INSECURE', value: 'true' },
    { name: 'K6_OTEL_GRPC_EXPORTER_ENDPOINT', value: metrics.endpoint },
  ];
}

/** The pod. It needs nothing of the API server, so it gets no token. */
export function k6Pod(
  place: { readonly name: string; readonly namespace: string; readonly run: string },
  parameters: K6Parameters,
  own: Pod | undefined,
  settings: RunSettings,
): NewObject<Pod> {
  const from = inherited(own, settings);
  const metadata = companionMetadata({ ...place, app: place.name }, own, settings);
  return {
    metadata: { ...metadata, annotations: from.annotations },
    spec: {
      ...from.spec,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: parameters.graceSeconds,
      activeDeadlineSeconds: parameters.deadlineSeconds,
      volumes: [{ name: 'script', secret: { secretName: parameters.secret } }],
      containers: [
        {
          name: 'k6-loadgen',
          image: parameters.image,
          imagePullPolicy: parameters.pullPolicy,
          args: k6Arguments(parameters),
          env: k6Environment(parameters),
          volumeMounts: [{ name: 'script', mountPath: SCRIPT_FOLDER, readOnly: true }],
          ...from.resources,
        },
      ],
    },
  };
}

/** What k6 means by its exit codes (its package `errext/exitcodes`). */
const MEANINGS: Readonly<Record<number, string>> = {
  97: 'a remote run failed',
  98: 'a remote run failed to be created',
  99: 'a threshold of the script was crossed',
  100: 'its setup took too long',
  101: 'its teardown took too long',
  102: 'it took too long',
  103: 'it was stopped by its own API',
  104: 'its options cannot be used',
  105: 'it was stopped by a signal',
  106: 'its own API could not start',
  107: 'the script threw an exception',
  108: 'the script aborted the test',
};

/** How the pod of a run that failed has ended. */
export function describeEnd({ status }: Pod): string {
  const ended = status?.containerStatuses?.[0]?.state?.terminated;
  if (ended === undefined) return status?.message ?? status?.reason ?? 'no reason given';
  const meaning = MEANINGS[ended.exitCode];
  return `${ended.reason ?? 'ended'}, exit code ${ended.exitCode}${meaning === undefined ? '' : `: ${meaning}`}`;
}

/** An endpoint as k6 wants it for gRPC: host and port. */
export function grpcEndpoint(endpoint: string): string {
  return endpoint.replace(/^[a-z]+:\/\//, '').replace(/\/.*$/, '');
}

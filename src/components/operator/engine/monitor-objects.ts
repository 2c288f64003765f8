import type { NewObject } from '@turnsole/kube/client/types';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import { RESTRICTED_CONTAINER } from '@turnsole/kube/kinds/restricted-container';
import { ownerReference } from '@turnsole/kube/runtime/owner-references';
import {
  CHAOS_ENGINES,
  type ChaosEngine,
  COMPONENT_MONITOR,
  LABEL_APP,
  LABEL_CHAOS_UID,
  LABEL_COMPONENT,
  LABEL_MONITOR_FOR,
  LABEL_PART_OF,
  LABEL_RUN_ID,
  PART_OF_LITMUS,
} from '../../../api/index.ts';
import { type OwnImage, replaceUpstreamImage } from '../../../chaos/own-image.ts';
import { monitorName } from './monitor.ts';

/** What the operator adds to what the engine says. */
export interface MonitorDefaults {
  /** For engines that name no monitor image. */
  readonly image: string;
  /** Stands in for upstream's image. */
  readonly ownImage?: OwnImage;
}

const METRICS_PORT = 8080;

/**
 * The pod that serves the metrics of an engine. Pure; names, labels, port and variables are those of the compatibility reference of
 * the exporter (section 9.1), with the labels of all its releases, so that selectors of each find it. It is placed where the
 * engine has its runner placed, and runs under the engine's own service account.
 */
export function buildMonitorPod(engine: ChaosEngine, defaults: MonitorDefaults): NewObject<Pod> {
  const { metadata, spec, status } = engine;
  const { runner, monitor } = spec.components ?? {};
  const { image, pullPolicy } = replaceUpstreamImage(
    { image: monitor?.image || defaults.image, pullPolicy: defaults.ownImage?.pullPolicy ?? 'IfNotPresent' },
    defaults.ownImage,
  );
  const { runId } = status ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: monitorName(metadata.name),
      namespace: metadata.namespace,
      labels: {
        [LABEL_APP]: metadata.name,
        [LABEL_COMPONENT]: COMPONENT_MONITOR,
        [LABEL_PART_OF]: PART_OF_LITMUS,
        [LABEL_MONITOR_FOR]: metadata.name,
        [LABEL_CHAOS_UID]: metadata.uid ?? '',
        ...(runId === undefined ? {} : { [LABEL_RUN_ID]: runId }),
      },
      ownerReferences: [ownerReference(CHAOS_ENGINES, engine)],
    },
    spec: {
      restartPolicy: 'OnFailure',
      ...(spec.chaosServiceAccount ? { serviceAccountName: spec.chaosServiceAccount } : {}),
      ...(runner?.imagePullSecrets?.length ? { imagePullSecrets: runner.imagePullSecrets } : {}),
      ...(runner?.nodeSelector ? { nodeSelector: runner.nodeSelector } : {}),
      ...(runner?.tolerations?.length ? { tolerations: runner.tolerations } : {}),
      containers: [
        {
          name: COMPONENT_MONITOR,
          image,
          imagePullPolicy: pullPolicy,
          env: [
            { name: 'CHAOSENGINE', value: metadata.name },
            { name: 'CHAOS_NAMESPACE', value: metadata.namespace ?? '' },
            { name: 'APP_NAMESPACE', value: spec.appinfo?.appns || (metadata.namespace ?? '') },
          ],
          ports: [{ name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' }],
          // A socket and not a page: images of others serve nothing but /metrics, and that asks the API server.
          readinessProbe: { tcpSocket: { port: 'metrics' }, periodSeconds: 1 },
          // Namespaces with the restricted security standard take nothing less; the image's own user is none of root's.
          securityContext: { ...RESTRICTED_CONTAINER, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

/** The service by which Prometheus finds that pod. Pure. */
export function buildMonitorService(engine: ChaosEngine): NewObject<Service> {
  const { metadata } = engine;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: monitorName(metadata.name),
      namespace: metadata.namespace,
      labels: {
        [LABEL_APP]: 'chaos-exporter',
        [LABEL_MONITOR_FOR]: metadata.name,
        [LABEL_CHAOS_UID]: metadata.uid ?? '',
      },
      ownerReferences: [ownerReference(CHAOS_ENGINES, engine)],
    },
    spec: {
      selector: { [LABEL_MONITOR_FOR]: metadata.name },
      ports: [{ name: 'metrics', port: METRICS_PORT, protocol: 'TCP', targetPort: 'metrics' }],
    },
  };
}

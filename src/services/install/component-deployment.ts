import type { EnvFromSource, EnvVar, ResourceRequirements, Volume } from '@turnsole/kube/kinds/core';
import { OTLP_ENDPOINT } from '../../tracing/otel-variables.ts';
import type { InstallObject } from './install-object.ts';
import { labelsOf, selectorOf } from './names.ts';
import type { InstallSettings } from './settings.ts';

const HEALTH_PORT = 8081;

/** For every component's pod: no user in particular, no system call that ordinary programs do not make. */
const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  seccompProfile: { type: 'RuntimeDefault' },
} as const;

/** For every component's container. */
const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} as const;

/** What differs between the Deployments of components. */
interface ComponentDeployment {
  /** Name of the Deployment and of its service account. */
  readonly name: string;
  /** Subcommand, label and name of the container. */
  readonly component: string;
  /** Whether pods of two rollouts may run at the same time. */
  readonly mayOverlap: boolean;
  readonly args: readonly string[];
  readonly env: readonly EnvVar[];
  /** Config maps and secrets whose keys are variables. @default none */
  readonly envFrom?: readonly EnvFromSource[];
  /** A folder that the container may write to and that outlives it, but not its pod. @default none */
  readonly folder?: { readonly name: string; readonly path: string; readonly sizeLimit: string };
  /** Its port besides the one for health checks. */
  readonly port: { readonly name: string; readonly containerPort: number };
  /** Volumes and where the container has them; the pod's group may write to claims. @default none */
  readonly volumes?: readonly { readonly path: string; readonly volume: Volume }[];
  /** The port of its health checks. @default HTTP on port 8081 */
  readonly health?: { readonly name: string; readonly containerPort: number; readonly scheme: string };
  /** Whether the pod has no token for the API server. @default false */
  readonly asksNoApi?: boolean;
  readonly resources: ResourceRequirements;
  readonly graceSeconds?: number;
  /** Beside those of every component, of the Deployment and its pods. @default none */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One heap of the C library for all threads: memory that one frees serves the others. It saves five to ten per cent with large objects. */
export const ONE_ARENA: EnvVar = { name: 'MALLOC_ARENA_MAX', value: '1' };

/** The variables that say where a component sends its traces. Pure. */
export function tracesEnv({ otlpEndpoint }: Pick<InstallSettings, 'otlpEndpoint'>): EnvVar[] {
  return otlpEndpoint === undefined ? [] : [{ name: OTLP_ENDPOINT, value: otlpEndpoint }];
}

/** The Deployment of a component: replicas on different nodes, health on port 8081, as few rights as possible. Pure. */
export function componentDeployment(settings: InstallSettings, of: ComponentDeployment): InstallObject {
  const { namespace, replicas, image, pullPolicy, priorityClass, platform } = settings;
  const { name, component, graceSeconds } = of;
  const labels = { ...labelsOf(settings, component), ...of.labels };
  const selector = selectorOf(settings, component);
  const { name: port, containerPort, scheme } = of.health ?? OWN_HEALTH;
  const probe = (path: string): object => ({ httpGet: { path, port, scheme } });
  const volumes = volumesOf(of);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      strategy: of.mayOverlap
        ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
        : { type: 'Recreate' },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: of.asksNoApi === true ? false : undefined,
          terminationGracePeriodSeconds: graceSeconds,
          priorityClassName: priorityClass,
          nodeSelector: platform.nodeSelector,
          tolerations: platform.tolerations,
          affinity: platform.affinity ?? spread(selector),
          topologySpreadConstraints: platform.topologySpreadConstraints,
          securityContext: platform.podSecurityContext ?? podSecurity(of),
          containers: [
            {
              name: component,
              image,
              imagePullPolicy: pullPolicy,
              args: [component, ...of.args],
              env: [...of.env, ...(platform.extraEnv ?? [])],
              envFrom: of.envFrom,
              ports: [
                { ...of.port, protocol: 'TCP' },
                { name: port, containerPort, protocol: 'TCP' },
              ],
              livenessProbe: {
                ...probe('/healthz'),
                periodSeconds: 10,
                timeoutSeconds: 5,
                failureThreshold: 6,
              },
              readinessProbe: { ...probe('/readyz'), periodSeconds: 2, timeoutSeconds: 5 },
              resources: of.resources,
              securityContext: platform.securityContext ?? CONTAINER_SECURITY,
              volumeMounts: volumes?.map(({ path, volume }) => ({ name: volume.name, mountPath: path })),
            },
          ],
          volumes: volumes?.map(({ volume }) => volume),
        },
      },
    },
  };
}

/** The group of the pod may write to its claims. */
function podSecurity({ volumes }: ComponentDeployment): object {
  return volumes === undefined ? POD_SECURITY : { ...POD_SECURITY, fsGroup: POD_SECURITY.runAsGroup };
}

/** A port for health checks only; without a scheme it is HTTP. */
const OWN_HEALTH = { name: 'health', containerPort: HEALTH_PORT, scheme: undefined };

function volumesOf({ folder, volumes }: ComponentDeployment): ComponentDeployment['volumes'] {
  if (folder === undefined) return volumes;
  const { name, path, sizeLimit } = folder;
  return [{ path, volume: { name, emptyDir: { sizeLimit } } }];
}

/** Address of a component's health checks. */
export const HEALTH_ADDRESS = `:${HEALTH_PORT}`;

/** Spreads several replicas over nodes. */
function spread(matchLabels: Readonly<Record<string, string>>): object {
  const term = { labelSelector: { matchLabels }, topologyKey: 'kubernetes.io/hostname' };
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
    },
  };
}

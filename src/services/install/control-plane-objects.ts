/** The control plane in a cluster: one server on a file that a claim keeps, or several on PostgreSQL. */
import type { EnvVar } from '@turnsole/kube/kinds/core';
import { componentDeployment } from './component-deployment.ts';
import { accessOf, disruptionBudgets, metadataOf, serviceOf } from './component-objects.ts';
import type { ControlPlaneSettings } from './control-plane-settings.ts';
import type { InstallObject } from './install-object.ts';
import { CONTROL_PLANE_KEY_SECRET, CONTROL_PLANE_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: CONTROL_PLANE_NAME, component: 'server' };
const PORT = 9002;
const METRICS_PORT = 8080;
const DATA_FOLDER = '/var/lib/turnsole';
/** Of the claim, where nothing else is asked. */
export const DATA_SIZE = '10Gi';
/** Size for copies of hubs, where the database is elsewhere. */
const SCRATCH_SIZE = '2Gi';
const TLS_FOLDER = '/etc/turnsole/tls';
/** Requests under way have 5 s, then agents are let go. */
const GRACE_SECONDS = 30;
/** A Secret that the user makes: its keys become variables of the server. */
const SETTINGS_SECRET = `${CONTROL_PLANE_NAME}-settings`;

/**
 * Everything the control plane needs, the database apart. Its account may do nothing in the cluster. The secret of the key is
 * empty: `fillSecretKey` puts the key in, so that no manifest holds it. Pure.
 */
export function controlPlaneObjects(settings: InstallSettings, plane: ControlPlaneSettings): InstallObject[] {
  return [
    accessOf(settings, COMPONENT).account,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadataOf(settings, { ...COMPONENT, name: CONTROL_PLANE_KEY_SECRET }),
      type: 'Opaque',
    },
    ...(plane.databaseSecret === undefined ? [claim(settings)] : []),
    service(settings, plane),
    deployment(settings, plane),
    ...(plane.databaseSecret === undefined ? [] : disruptionBudgets(settings, COMPONENT)),
    ...(plane.host === undefined ? [] : [ingress(settings, plane, plane.host)]),
  ];
}

/** Whether the server itself speaks HTTPS: in front of an Ingress that is the Ingress's matter. */
function hasOwnTls({ tlsSecret, host }: ControlPlaneSettings): boolean {
  return tlsSecret !== undefined && host === undefined;
}

function claim(settings: InstallSettings): InstallObject {
  const { storageClassName, storageSize = DATA_SIZE } = settings.platform;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadataOf(settings, COMPONENT),
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      resources: { requests: { storage: storageSize } },
    },
  };
}

function service(settings: InstallSettings, plane: ControlPlaneSettings): InstallObject {
  return serviceOf(settings, COMPONENT, [
    { name: hasOwnTls(plane) ? 'https' : 'http', port: PORT, targetPort: 'api' },
    { name: 'metrics', port: METRICS_PORT, targetPort: 'metrics' },
  ]);
}

function ingress(
  settings: InstallSettings,
  { tlsSecret }: ControlPlaneSettings,
  host: string,
): InstallObject {
  const { ingressClassName, ingressAnnotations } = settings.platform;
  const backend = { service: { name: CONTROL_PLANE_NAME, port: { number: PORT } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      ...metadataOf(settings, COMPONENT),
      ...(ingressAnnotations !== undefined && { annotations: ingressAnnotations }),
    },
    spec: {
      ingressClassName,
      ...(tlsSecret === undefined ? {} : { tls: [{ hosts: [host], secretName: tlsSecret }] }),
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
  };
}

function deployment(settings: InstallSettings, plane: ControlPlaneSettings): InstallObject {
  const { databaseSecret } = plane;
  // A file belongs to one server; the old one has to end before the new one starts.
  const replicas = databaseSecret === undefined ? 1 : settings.replicas;
  const tls = hasOwnTls(plane);
  return componentDeployment(
    { ...settings, replicas },
    {
      ...COMPONENT,
      mayOverlap: databaseSecret !== undefined,
      graceSeconds: GRACE_SECONDS,
      args: [
        `--data=${DATA_FOLDER}`,
        `--listen=:${PORT}`,
        `--metrics-listen=:${METRICS_PORT}`,
        ...(tls ? [`--tls-cert=${TLS_FOLDER}/tls.crt`, `--tls-key=${TLS_FOLDER}/tls.key`] : []),
        ...(plane.host === undefined ? [] : ['--trust-proxy']),
      ],
      env: [
        secretVariable('TURNSOLE_SECRET_KEY', CONTROL_PLANE_KEY_SECRET, 'TURNSOLE_SECRET_KEY'),
        ...(databaseSecret === undefined
          ? []
          : [secretVariable('TURNSOLE_DATABASE_URL', databaseSecret.name, databaseSecret.key)]),
        // Only for programs that look into a home: the root is read-only.
        { name: 'HOME', value: DATA_FOLDER },
        { name: 'AGENT_IMAGE', value: settings.image },
        { name: 'TURNSOLE_SERVICE_URL', value: serviceUrl(settings, tls) },
      ],
      envFrom: [{ secretRef: { name: SETTINGS_SECRET, optional: true } }],
      volumes: [
        {
          path: DATA_FOLDER,
          volume: {
            name: 'data',
            ...(databaseSecret === undefined
              ? { persistentVolumeClaim: { claimName: CONTROL_PLANE_NAME } }
              : { emptyDir: { sizeLimit: SCRATCH_SIZE } }),
          },
        },
        { path: '/tmp', volume: { name: 'tmp', emptyDir: { sizeLimit: SCRATCH_SIZE } } },
        ...(tls
          ? [{ path: TLS_FOLDER, volume: { name: 'tls', secret: { secretName: plane.tlsSecret } } }]
          : []),
      ],
      port: { name: 'metrics', containerPort: METRICS_PORT },
      health: { name: 'api', containerPort: PORT, scheme: tls ? 'HTTPS' : 'HTTP' },
      asksNoApi: true,
      resources: { requests: { cpu: '100m', memory: '160Mi' }, limits: { memory: '512Mi' } },
    },
  );
}

/** Found by agents of this cluster, also of other namespaces. */
function serviceUrl({ namespace }: InstallSettings, tls: boolean): string {
  return `${tls ? 'https' : 'http'}://${CONTROL_PLANE_NAME}.${namespace}:${PORT}`;
}

function secretVariable(variable: string, name: string, key: string): EnvVar {
  return { name: variable, valueFrom: { secretKeyRef: { name, key } } };
}

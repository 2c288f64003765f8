/** Defaults of pod specifications, alone and in templates. Source: kubernetes.io API reference, PodSpec and Container. */
import {
  type ApiObject,
  asJson,
  asObjects,
  asString,
  childOf,
  isJson,
  type Json,
  setDefault,
  setDefaults,
  valueAt,
} from '../object.ts';

/** Default permissions of projected files: rw-r--r--. */
const FILE_MODE = 0o644;

/** Defaults that hold for pods and templates alike. */
function defaultPodSpec(spec: Json): void {
  setDefaults(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
  // The old name of the field is set along with the new one.
  const account = asString(spec.serviceAccountName) || asString(spec.serviceAccount);
  if (account !== '') {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of asObjects(spec[list])) defaultContainer(container, spec.hostNetwork === true);
  }
  for (const volume of asObjects(spec.volumes)) defaultVolume(volume);
  for (const constraint of asObjects(spec.topologySpreadConstraints))
    setDefault(constraint, 'whenUnsatisfiable', 'DoNotSchedule');
}

/** Defaults of the template of a workload. */
export function defaultTemplate(template: unknown): void {
  if (isJson(template)) defaultPodSpec(childOf(template, 'spec'));
}

/** Defaults that only a pod itself gets. */
export function defaultPod(object: ApiObject): void {
  const spec = childOf(object, 'spec');
  defaultPodSpec(spec);
  setDefault(spec, 'enableServiceLinks', true);
  for (const list of ['containers', 'initContainers']) {
    for (const container of asObjects(spec[list])) {
      const limits = valueAt(container, 'resources', 'limits');
      if (!isJson(limits)) continue;
      const requests = childOf(childOf(container, 'resources'), 'requests');
      for (const [name, limit] of Object.entries(limits)) setDefault(requests, name, limit);
    }
  }
}

function defaultContainer(container: Json, isHostNetwork: boolean): void {
  setDefaults(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(asString(container.image)),
    resources: {},
  });
  for (const port of asObjects(container.ports)) {
    setDefault(port, 'protocol', 'TCP');
    if (isHostNetwork) setDefault(port, 'hostPort', port.containerPort);
  }
  for (const env of asObjects(container.env)) defaultFieldRef(asJson(env.valueFrom));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[name];
    if (isJson(probe)) defaultProbe(probe);
  }
  for (const hook of Object.values(asJson(container.lifecycle))) if (isJson(hook)) defaultHandler(hook);
}

/** Segments of a repository; what has others, such as capital letters, is no image name. */
const REPOSITORY_SEGMENT = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/;

/** Always for images whose tag moves: `latest`, or none. What is no image name has no tag either, and is tried nowhere. */
function pullPolicy(image: string): string {
  const [repository = ''] = image.replace(/:[^/]*$/, '').split('@');
  const segments = repository.split('/');
  const isHost = segments.length > 1 && /[.:]|^localhost$/.test(segments[0] ?? '');
  const path = isHost ? segments.slice(1) : segments;
  if (!path.every((segment) => REPOSITORY_SEGMENT.test(segment))) return 'IfNotPresent';
  const name = image.split('/').at(-1) ?? '';
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.includes(':') ? name.slice(name.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultFieldRef(source: Json): void {
  if (isJson(source.fieldRef)) setDefault(source.fieldRef, 'apiVersion', 'v1');
  // Zero means "in whole units" and is always there.
  if (isJson(source.resourceFieldRef)) setDefault(source.resourceFieldRef, 'divisor', '0');
}

function defaultProbe(probe: Json): void {
  setDefaults(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  defaultHandler(probe);
}

function defaultHandler(handler: Json): void {
  const get = handler.httpGet;
  if (isJson(get)) {
    setDefaults(get, { path: '/', scheme: 'HTTP' });
  }
  if (isJson(handler.grpc)) setDefault(handler.grpc, 'service', '');
}

function defaultVolume(volume: Json): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = volume[name];
    if (isJson(source)) setDefault(source, 'defaultMode', FILE_MODE);
  }
  if (isJson(volume.hostPath)) setDefault(volume.hostPath, 'type', '');
  for (const item of asObjects(valueAt(volume, 'downwardAPI', 'items'))) defaultFieldRef(item);
  for (const source of asObjects(valueAt(volume, 'projected', 'sources'))) {
    for (const item of asObjects(valueAt(source, 'downwardAPI', 'items'))) defaultFieldRef(item);
    if (isJson(source.serviceAccountToken)) setDefault(source.serviceAccountToken, 'expirationSeconds', 3600);
  }
  const claim = valueAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  if (isJson(claim)) setDefault(claim, 'volumeMode', 'Filesystem');
}

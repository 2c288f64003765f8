/** Objects of scenarios: builders that show only what matters. */
import type { Draft } from './harness/kinds.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The image of all containers: a shell, tools and Node; nothing is pulled. */
export const IMAGE = 'rig.local/node:24';

/** Runs until it is told to end, and then ends at once and well. */
export const FOREVER = ['sh', '-c', 'trap "exit 0" TERM; sleep 3600 & wait'];

/** What a shell script is run by. */
export function sh(script: string): string[] {
  return ['sh', '-c', script];
}

export function container(name: string, command: readonly string[], extra: Fields = {}): Fields {
  return { name, image: IMAGE, imagePullPolicy: 'Never', command, ...extra };
}

/** A pod's spec with one container, which runs for ever unless `command` says otherwise. */
export function podSpec(extra: Fields & { readonly command?: readonly string[] } = {}): Fields {
  const { command = FOREVER, ...rest } = extra;
  return {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 2,
    containers: [container('main', command)],
    ...rest,
  };
}

export function pod(name: string, spec: Fields = {}, metadata: Fields = {}): Draft {
  return { kind: 'Pod', metadata: { name, ...metadata }, spec: podSpec(spec) };
}

/** A template of pods labelled `app: <app>`. */
export function template(app: string, spec: Fields = {}, labels: Fields = {}): Fields {
  return { metadata: { labels: { app, ...labels } }, spec: podSpec(spec) };
}

function workload(
  kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet',
  name: string,
  spec: Fields,
): Draft {
  return {
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: template(name), ...spec },
  };
}

export function deployment(name: string, replicas: number, spec: Fields = {}): Draft {
  return workload('Deployment', name, { replicas, ...spec });
}

export function replicaSet(name: string, replicas: number, spec: Fields = {}): Draft {
  return workload('ReplicaSet', name, { replicas, ...spec });
}

export function statefulSet(name: string, replicas: number, spec: Fields = {}): Draft {
  return workload('StatefulSet', name, { replicas, serviceName: name, ...spec });
}

export function daemonSet(name: string, spec: Fields = {}): Draft {
  return workload('DaemonSet', name, spec);
}

export function job(
  name: string,
  command: readonly string[],
  spec: Fields = {},
  podFields: Fields = {},
): Draft {
  return {
    kind: 'Job',
    metadata: { name },
    spec: { ...spec, template: { spec: podSpec({ command, restartPolicy: 'Never', ...podFields }) } },
  };
}

export function service(name: string, spec: Fields = {}): Draft {
  return {
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
  };
}

export function configMap(name: string, data: Fields = {}, metadata: Fields = {}): Draft {
  return { kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A change of a template that makes new pods and says which round it is. */
export function round(number: number): Fields {
  return { spec: { template: { metadata: { annotations: { round: String(number) } } } } };
}

/** A probe that looks for a file and is quick. */
export function fileProbe(path: string, extra: Fields = {}): Fields {
  return { exec: { command: ['test', '-e', path] }, periodSeconds: 1, timeoutSeconds: 5, ...extra };
}

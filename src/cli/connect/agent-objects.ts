import { parseAllDocuments } from 'yaml';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../api/agent-objects.ts';
import { CommandError } from '../../services/errors.ts';
import type { InstallObject } from '../../services/install/install-object.ts';

/** The objects of a manifest. @throws CommandError (could not run) when the server sent something else */
export function agentObjects(manifest: string): InstallObject[] {
  const objects: unknown[] = [];
  for (const document of parseAllDocuments(manifest)) {
    const [error] = document.errors;
    if (error !== undefined) throw unreadable(error.message);
    const object: unknown = document.toJS();
    if (object !== null && object !== undefined) objects.push(object);
  }
  if (objects.length === 0 || !objects.every(isObject)) throw unreadable('it has no Kubernetes objects');
  return objects;
}

function unreadable(why: string): CommandError {
  return new CommandError(`the server's manifest cannot be read: ${why}`, 'REMOTE_REFUSED');
}

function isObject(value: unknown): value is InstallObject {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, metadata } = value as Partial<InstallObject>;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
}

/**
 * What an agent is known by: its Secret and its ConfigMap. The agent replaces the key when it confirms itself, which may happen between the reading of
 * a manifest and its application. Pure.
 */
export function credentialsOf(objects: readonly InstallObject[]): readonly InstallObject[] {
  return objects.filter(
    ({ kind, metadata: { name } }) =>
      (kind === 'Secret' && name === AGENT_SECRET) || (kind === 'ConfigMap' && name === AGENT_CONFIG_MAP),
  );
}

const LOOPBACK = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/;
/** Whether an address of the server is one that other machines, and pods with a network of their own, cannot reach. Pure. */
export function isLoopback(serverUrl: string): boolean {
  return LOOPBACK.test(serverUrl);
}

/** Only this component speaks to the server all the time. */
const SUBSCRIBER = /(^|-)subscriber$/;
/**
 * The objects with the subscriber on the network of its node where the server listens on this machine's loopback: pods of an isolated
 * embedded cluster have a loopback of their own. The ports of a pod on its node's network are the node's, where other programs and other
 * clusters may have taken the usual ones. Pure.
 *
 * @param ports by which the subscriber's own are replaced, by port
 */
export function onHostNetwork(
  objects: readonly InstallObject[],
  serverUrl: string,
  ports: Readonly<Record<string, number>>,
): readonly InstallObject[] {
  if (!isLoopback(serverUrl)) return objects;
  return objects.map((object) =>
    object.kind === 'Deployment' && SUBSCRIBER.test(object.metadata.name)
      ? withHostNetwork(object, ports)
      : object,
  );
}

/** The parts of a Deployment that are changed. */
interface DeploymentSpec {
  readonly template: {
    readonly spec: {
      readonly containers: readonly {
        readonly args?: readonly string[];
        readonly ports?: readonly { readonly containerPort: number }[];
      }[];
    };
  };
}

function withHostNetwork(object: InstallObject, others: Readonly<Record<string, number>>): InstallObject {
  // A Deployment of a manifest that clusters take.
  const spec = object.spec as DeploymentSpec;
  const containers = spec.template.spec.containers.map(({ args = [], ports = [], ...container }) => ({
    ...container,
    args: args.map((arg) => arg.replace(/\d+$/, (port) => `${others[port] ?? port}`)),
    ports: ports.map((port) => ({
      ...port,
      containerPort: others[port.containerPort] ?? port.containerPort,
    })),
  }));
  // Names of the cluster: probes that are tried are those of runs.
  const ofNode = { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' };
  const template = { ...spec.template, spec: { ...spec.template.spec, containers, ...ofNode } };
  return { ...object, spec: { ...spec, template } };
}

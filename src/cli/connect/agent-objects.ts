import { parseAllDocuments } from 'yaml';
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

const LOOPBACK = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/;

/**
 * The objects with Deployments on the network of their node where the server listens on this machine's loopback: pods of an isolated
 * embedded cluster have a loopback of their own. Pure.
 */
export function onHostNetwork(
  objects: readonly InstallObject[],
  serverUrl: string,
): readonly InstallObject[] {
  if (!LOOPBACK.test(serverUrl)) return objects;
  return objects.map((object) => (object.kind === 'Deployment' ? withHostNetwork(object) : object));
}

interface DeploymentSpec {
  readonly template: { readonly spec: object };
}

function withHostNetwork(object: InstallObject): InstallObject {
  // A Deployment of a manifest that has been applied elsewhere.
  const spec = object.spec as DeploymentSpec;
  const template = { ...spec.template, spec: { ...spec.template.spec, hostNetwork: true } };
  return { ...object, spec: { ...spec, template } };
}

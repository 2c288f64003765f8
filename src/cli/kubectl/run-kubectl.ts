/**
 * `turnsole kubectl`: what the steps of Litmus' workflows ask of kubectl, for machines that have none. It is put as `kubectl` into the
 * containers of the embedded cluster there, and says what it cannot do.
 */

import { applyObject } from '@turnsole/kube/apply/apply-object';
import { findKind } from '@turnsole/kube/apply/find-kind';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { createClient } from '@turnsole/kube/client/client';
import { loadConfig } from '@turnsole/kube/client/config/load-config';
import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { equalJson } from '@turnsole/kube/text/json';
import { CHAOS_ENGINES } from '../../api/resources.ts';
import { withTraceParent } from '../../api/trace-parent.ts';
import { termination } from '../../process/signals.ts';
import { loadManifests } from '../../services/manifests/load.ts';
import { type KubectlCommand, parseKubectl } from './arguments.ts';

/** What the process gives it; tests give their own. */
interface KubectlIo {
  /** @default one for the pod's or kubeconfig's cluster */
  readonly client?: KubeClient;
  /** Namespace of objects that name none. @default the pod's or kubeconfig's */
  readonly namespace?: string;
  readonly write?: (line: string) => void;
  readonly complain?: (line: string) => void;
}

interface Session {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly command: KubectlCommand;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly write: (line: string) => void;
}

/** An object that a command is about. */
interface Subject {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly namespace: string | undefined;
}

/** @returns exit code: 0 done, 1 refused, failed or stopped, as kubectl's */
export async function runKubectl(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  io: KubectlIo = {},
): Promise<number> {
  const { write = (line) => void process.stdout.write(`${line}\n`) } = io;
  const { complain = (line) => void process.stderr.write(`${line}\n`) } = io;
  const stop = termination();
  let own: KubeClient | undefined;
  try {
    const command = parseKubectl(argv);
    const config =
      io.client === undefined ? await loadConfig({ kubeconfig: command.kubeconfig, env }) : undefined;
    own = config && createClient(config);
    const client = io.client ?? own;
    if (client === undefined) throw new TypeError('there is neither a client nor a configuration');
    const namespace = command.namespace ?? io.namespace ?? config?.namespace ?? 'default';
    const session = { client, namespace, command, env, write, signal: stop.signal };
    await (command.verb === 'delete'
      ? deleteAll(session)
      : command.verb === 'get'
        ? getNames(session)
        : store(session));
    return 0;
  } catch (error) {
    complain(`error: ${sentence(error)}`);
    return 1;
  } finally {
    own?.close();
    stop.close();
  }
}

/** The server's refusals in kubectl's form, which scripts look for. */
function sentence(error: unknown): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  return `from server (${error.status.reason ?? error.code}): ${error.status.message ?? error.message}`;
}

async function store({ client, command, env, namespace, signal, write }: Session): Promise<void> {
  for (const { resource, object: given, namespace: place } of await fromFiles(client, command, namespace)) {
    // In a step of a workflow: the engine's run belongs below that step.
    const object = resource.kind === CHAOS_ENGINES.kind ? withTraceParent(given, env) : given;
    const options = { ...(place !== undefined && { namespace: place }), signal, fieldManager: 'kubectl' };
    if (command.verb === 'create') {
      await client.create(resource, object, options);
      write(`${titleOf(resource, object)} created`);
      continue;
    }
    const { before, after } = await applyObject(client, resource, object, options);
    const isSame =
      before !== undefined && equalJson(before.metadata.resourceVersion, after.metadata.resourceVersion);
    write(
      `${titleOf(resource, object)} ${before === undefined ? 'created' : isSame ? 'unchanged' : 'configured'}`,
    );
  }
}

/** What a command is about: what its files, its names or its selector say. */
async function subjectsOf(session: Session): Promise<Subject[]> {
  const { client, command, namespace } = session;
  const { files, kinds, objects } = command;
  const subjects =
    files.length > 0 ? await fromFiles(client, command, namespace) : await named(session, objects);
  for (const kind of kinds) subjects.push(...(await selected(session, kind)));
  return subjects;
}

/** Names of objects; one that is named and is not there is an error. */
async function getNames(session: Session): Promise<void> {
  const { client, command, signal, write } = session;
  const isListed = command.kinds.length > 0;
  for (const { resource, object, namespace } of await subjectsOf(session)) {
    if (!isListed) await client.get(resource, object.metadata.name, { namespace, signal });
    write(titleOf(resource, object));
  }
}

async function deleteAll(session: Session): Promise<void> {
  const { command, write } = session;
  const subjects = await subjectsOf(session);
  const gone: Promise<unknown>[] = [];
  for (const subject of subjects) {
    if (!(await deleteOne(session, subject))) continue;
    write(`${nounOf(subject.resource)} "${subject.object.metadata.name}" deleted`);
    if (command.wait) gone.push(untilGone(session, subject));
  }
  await Promise.all(gone);
  if (subjects.length === 0) write('No resources found');
}

async function deleteOne(session: Session, { resource, object, namespace }: Subject): Promise<boolean> {
  const { client, command, signal } = session;
  const options = { namespace, signal };
  try {
    await client.delete(resource, object.metadata.name, { ...options, propagationPolicy: 'Background' });
    return true;
  } catch (error) {
    if (command.ignoreNotFound && isNotFound(error)) return false;
    throw error;
  }
}

/** Resolves when the object is gone, which its finalizers may hold up, or another one has its name. */
function untilGone(
  { client, command, signal }: Session,
  { resource, object, namespace }: Subject,
): Promise<unknown> {
  let uid: string | undefined;
  const isGone = (found: KubeObject | undefined): boolean => {
    uid ??= found?.metadata.uid;
    return (
      found === undefined || found.metadata.uid !== uid || found.metadata.deletionTimestamp === undefined
    );
  };
  return waitForObject(client, resource, object.metadata.name, isGone, {
    namespace,
    timeoutMs: command.timeoutMs,
    signal,
  });
}

async function fromFiles(
  client: KubeClient,
  { files }: KubectlCommand,
  fallback: string,
): Promise<Subject[]> {
  const kinds = new KindResolver(client);
  const manifests = await loadManifests(files.map((file) => (file === '-' ? '/dev/stdin' : file)));
  const subjects: Subject[] = [];
  for (const { object } of manifests) {
    const resource = await kinds.resolve(object.apiVersion, object.kind);
    if (typeof resource === 'string')
      throw new Error(`unable to recognize ${object.metadata.name}: ${resource}`);
    const namespace = resource.namespaced ? (object.metadata.namespace ?? fallback) : undefined;
    subjects.push({ resource, object, namespace });
  }
  return subjects;
}

async function named(session: Session, objects: KubectlCommand['objects']): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const { kind, name } of objects) {
    const resource = await kindOf(session, kind);
    const namespace = resource.namespaced ? session.namespace : undefined;
    subjects.push({ resource, object: { metadata: { name } }, namespace });
  }
  return subjects;
}

async function selected(session: Session, kind: string): Promise<Subject[]> {
  const { client, command, signal } = session;
  const resource = await kindOf(session, kind);
  const namespace = resource.namespaced ? session.namespace : undefined;
  const { items } = await client.list<KubeObject>(resource, {
    namespace,
    labelSelector: command.selector,
    signal,
  });
  return items.map((object) => ({ resource, object, namespace }));
}

async function kindOf({ client }: Session, word: string): Promise<Resource> {
  const resource = await findKind(client, word);
  if (resource === undefined)
    throw new Error(`the server doesn't have a resource type ${JSON.stringify(word)}`);
  return resource;
}

function titleOf(resource: Resource, { metadata }: KubeObject): string {
  return `${nounOf(resource)}/${metadata.name}`;
}

/** `pod`, `chaosengine.litmuschaos.io`. */
function nounOf({ kind, group }: Resource): string {
  return group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@turnsole/kube/base/clock';
import { createClient } from '@turnsole/kube/client/client';
import { loadInClusterConfig } from '@turnsole/kube/client/config/in-cluster';
import { ApiError } from '@turnsole/kube/client/errors';
import { type KubeClient, PATCH_TYPES, type PatchType } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import type { ResourceTemplate } from '@turnsole/workflows/kinds/template';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { reportLine } from '@turnsole/workflows/pods/report';
import { CHAOS_ENGINES } from '../../../api/resources.ts';
import { withTraceParent } from '../../../api/trace-parent.ts';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';
import { ACTIONS, type ActionContext, NO_LIMIT_MS, patchObject } from './carry-out.ts';
import { type Conditions, judgeObject, readConditions } from './conditions.ts';
import { readFlags } from './flags.ts';
import { outputsOf } from './outputs.ts';
import { namedSubjects, readManifest, type Subject, subjectsOf } from './subjects.ts';

/** Carries out a `resource` template with the rights of the pod's service account, waits for its conditions, and prints its outputs. */
export async function runResource(order: NodeOrder, context: HelperContext): Promise<void> {
  const { resource } = order;
  if (resource === undefined) throw new HelperError('the order of the node has no resource');
  const own =
    context.client === undefined
      ? createClient(await loadInClusterConfig(context.env, systemClock))
      : undefined;
  try {
    await work(order, resource, context.client ?? (own as KubeClient), context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new HelperError(
      `Error from server (${error.status.reason ?? error.code}): ${error.status.message ?? error.message}`,
      { cause: error },
    );
  } finally {
    own?.close();
  }
}

async function work(
  order: NodeOrder,
  resource: ResourceTemplate,
  client: KubeClient,
  context: HelperContext,
): Promise<void> {
  const { signal } = context;
  const flags = readFlags(resource.flags);
  const conditions = conditionsOf(resource);
  const owner = resource.setOwnerReference === true ? order.owner : undefined;
  const acting: ActionContext = { client, flags, owner, signal };
  const manifests = readManifest(await manifestText(order, resource, context));
  const place = order.namespace ?? 'default';
  const subjects =
    flags.kind === undefined || (manifests.length > 0 && resource.action !== 'patch')
      ? (await subjectsOf(manifests, client, flags, place)).map((one) => traced(one, context.env))
      : await namedSubjects(client, flags, place, signal);
  if (subjects.length === 0 && flags.kind === undefined)
    throw new HelperError('must provide at least one of flags or manifest');
  const done = await actOnAll(resource, subjects, manifests, acting);
  for (const { subject, object } of done)
    context.say(`${resource.action} ${subject.resource.kind} ${object?.metadata.name ?? subject.name}`);
  await conclude(order, conditions, done, client, context);
}

/** An engine that a step makes belongs to the trace of its workflow. */
function traced(subject: Subject, env: Environment): Subject {
  const { manifest, resource } = subject;
  if (manifest === undefined || resource.kind !== CHAOS_ENGINES.kind) return subject;
  return { ...subject, manifest: withTraceParent(manifest, env) };
}

interface Done {
  readonly subject: Subject;
  readonly object: KubeObject | undefined;
}

async function actOnAll(
  { action, mergeStrategy = 'strategic' }: ResourceTemplate,
  subjects: readonly Subject[],
  manifests: readonly unknown[],
  context: ActionContext,
): Promise<Done[]> {
  const done: Done[] = [];
  for (const subject of subjects) {
    if (action === 'patch') {
      const object = await patchObject(subject, patchType(mergeStrategy), manifests[0] ?? {}, context);
      done.push({ subject, object });
      continue;
    }
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act === undefined)
      throw new HelperError(`resource.action ${action} is none of ${Object.keys(ACTIONS).join(', ')}, patch`);
    done.push({ subject, object: await act(subject, context) });
  }
  return done;
}

function patchType(strategy: string): PatchType {
  const wanted = strategy === '' ? 'strategic' : strategy;
  if (wanted !== 'apply' && Object.hasOwn(PATCH_TYPES, wanted)) return wanted as PatchType;
  throw new HelperError(`resource.mergeStrategy ${strategy} is none of strategic, merge, json`);
}

function conditionsOf({ successCondition, failureCondition }: ResourceTemplate): Conditions {
  try {
    return readConditions(successCondition, failureCondition);
  } catch (cause) {
    throw new HelperError(`a condition of the resource cannot be read: ${messageOf(cause)}`, { cause });
  }
}

async function manifestText(
  { artifacts }: NodeOrder,
  { manifest }: ResourceTemplate,
  context: HelperContext,
): Promise<string> {
  const from = artifacts.manifest;
  if (from === undefined) return manifest ?? '';
  if (isObject(from.raw)) return String(from.raw['data'] ?? '');
  const { fetchArtifact } = await import('../init/fetch-inputs.ts');
  const file = join(context.places.home, 'manifest.yaml');
  await fetchArtifact(from, file, context);
  return readFile(file, 'utf8');
}

/** Waits for the conditions of the object, and prints the outputs that are read from it. */
async function conclude(
  { node, parameters }: NodeOrder,
  conditions: Conditions,
  done: readonly Done[],
  client: KubeClient,
  { print, say, signal }: HelperContext,
): Promise<void> {
  const hasConditions = conditions.success.length + conditions.failure.length > 0;
  const [first] = done;
  if (!hasConditions && parameters.length === 0) return print(reportLine({ node, isComplete: true }));
  if (first?.object === undefined || done.length > 1)
    throw new HelperError(
      'conditions and outputs of a resource need one object, which is there after the action',
    );
  const object = hasConditions
    ? await waitFor(first.subject, first.object, conditions, client, say, signal)
    : first.object;
  const outputs = { parameters: await outputsOf(parameters, object) };
  print(reportLine({ node, ...(parameters.length > 0 && { outputs }), isComplete: true }));
}

async function waitFor(
  { resource, namespace }: Subject,
  { metadata }: KubeObject,
  conditions: Conditions,
  client: KubeClient,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { name, uid } = metadata;
  let unmet = '';
  const isDecided = (object: KubeObject | undefined): boolean => {
    if (object === undefined || object.metadata.uid !== uid) return true;
    const judged = judgeObject(conditions, object);
    if (judged.kind !== 'waiting') return true;
    if (judged.unmet !== unmet) say(`waiting for ${judged.unmet} of ${resource.kind} ${name}`);
    unmet = judged.unmet;
    return false;
  };
  const options = { timeoutMs: NO_LIMIT_MS, signal, namespace };
  const object = await waitForObject<KubeObject>(client, resource, name, isDecided, options);
  if (object === undefined || object.metadata.uid !== uid)
    throw new HelperError(`${resource.kind} ${name} was deleted while its conditions were waited for`);
  const judged = judgeObject(conditions, object);
  if (judged.kind === 'failed') throw new HelperError(judged.message);
  return object;
}

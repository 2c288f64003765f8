/** pods/eviction: a deletion that disruption budgets may refuse. Source: kubernetes.io, API-initiated Eviction. */

import type { LabelSelector } from '@turnsole/kube/kinds/core';
import { matchesSelector } from '@turnsole/kube/text/label-selector';
import { askAboutAction } from '../admission/webhooks/carry-out.ts';
import { deleteOptionsOf } from '../handlers/delete-options.ts';
import { decodeTypedBody } from '../http/decode.ts';
import { type ApiReply, valueReply } from '../http/exchange.ts';
import { badRequest, methodNotAllowed, StatusError, tooManyRequests } from '../http/status.ts';
import { type ApiObject, asJson, asNumber, asObjects, asString, isJson, timestamp } from '../object.ts';
import { deleteObject } from '../registry/delete.ts';
import type { ServerParts, WriteContext } from '../registry/environment.ts';
import { readVersion } from '../registry/read.ts';
import { updateObject } from '../registry/update.ts';
import { type ResourceRequest, targetOf, writeContext } from '../request/request.ts';
import { objectOf } from '../stored-object.ts';

const BUDGETS = 'poddisruptionbudgets.policy';

export async function handleEviction(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info, http } = request;
  if (info.verb !== 'create') throw methodNotAllowed();
  const body = await decodeTypedBody(http.body, http.headers['content-type'], 'policy.v1.Eviction');
  if (!isJson(body)) throw badRequest('an Eviction is expected');
  const name = asString(asJson(body.metadata).name);
  if (name !== '' && name !== info.name)
    throw badRequest('name in URL does not match name in Eviction object');
  const options = asJson(body.deleteOptions);
  const dryRuns = Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
  const context = writeContext(request, dryRuns);
  await askAboutAction(request, 'policy.v1.Eviction', body, context);
  const pod = objectOf(readVersion(env, kind.definition, info.namespace, info.name));
  if (needsBudget(pod)) spendBudget(env, info.namespace, pod, context);
  if (pod.metadata.deletionTimestamp === undefined && !context.dryRun) markEvicted(request, context);
  deleteObject(env, kind.definition, info.namespace, info.name, deleteOptionsOf(options), context);
  return valueReply(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

/** The pod says who ended it, for those that count its end as no failure of its own. */
function markEvicted(request: ResourceRequest, context: WriteContext): void {
  const { env } = request;
  const disrupted = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: timestamp(env.clock.now()),
  };
  updateObject(env, {
    ...targetOf(request),
    subresource: 'status',
    produce: (pod) => {
      const status = asJson(pod.status);
      const others = asObjects(status.conditions).filter(({ type }) => type !== disrupted.type);
      return {
        ...pod,
        metadata: { ...pod.metadata },
        status: { ...status, conditions: [...others, disrupted] },
      };
    },
    context,
  });
}

/** Pods that do not serve may be deleted at any time. */
function needsBudget(pod: ApiObject): boolean {
  const phase = asString(asJson(pod.status).phase);
  return pod.metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed', 'Pending'].includes(phase);
}

function spendBudget(env: ServerParts, namespace: string, pod: ApiObject, context: WriteContext): void {
  const budgets = [...env.store.values(BUDGETS)]
    .filter((version) => version.namespace === namespace)
    .map(objectOf)
    .filter((budget) => selects(budget, pod));
  if (budgets.length > 1) {
    throw new StatusError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined) return;
  checkBudget(budget);
  const kind = env.kinds.find('policy', 'v1', 'poddisruptionbudgets');
  if (kind === undefined || context.dryRun) return;
  updateObject(env, {
    kind,
    namespace,
    name: budget.metadata.name ?? '',
    subresource: 'status',
    produce: (current) => {
      const status = asJson(current.status);
      return {
        ...current,
        metadata: { ...current.metadata },
        status: {
          ...status,
          disruptionsAllowed: asNumber(status.disruptionsAllowed) - 1,
          ...(asNumber(status.disruptionsAllowed) === 1
            ? { conditions: exhausted(current, env.clock.now()) }
            : {}),
          disruptedPods: {
            ...asJson(status.disruptedPods),
            [pod.metadata.name ?? '']: timestamp(env.clock.now()),
          },
        },
      };
    },
    context,
  });
}

/** Conditions of a budget whose last disruption has just been taken. */
function exhausted({ metadata, status }: ApiObject, now: number): unknown[] {
  const others = asObjects(asJson(status).conditions).filter(({ type }) => type !== 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    observedGeneration: metadata.generation,
    lastTransitionTime: timestamp(now),
  };
  return [...others, condition];
}

function selects(budget: ApiObject, pod: ApiObject): boolean {
  const selector = asJson(budget.spec).selector;
  // Decoded with the type of a LabelSelector.
  return isJson(selector) && matchesSelector(selector as LabelSelector, pod.metadata.labels);
}

function checkBudget(budget: ApiObject): void {
  const name = budget.metadata.name ?? '';
  const status = asJson(budget.status);
  const refuse = (why: string): never => {
    throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message: why }],
    });
  };
  if (asNumber(status.observedGeneration) < (budget.metadata.generation ?? 0)) {
    refuse(`The disruption budget ${name} is still being processed by the server.`);
  }
  if (asNumber(status.disruptionsAllowed) > 0) return;
  refuse(
    `The disruption budget ${name} needs ${asNumber(status.desiredHealthy)} healthy pods and has ${asNumber(status.currentHealthy)} currently`,
  );
}

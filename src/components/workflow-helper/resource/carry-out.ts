import { applyObject } from '@turnsole/kube/apply/apply-object';
import type { KubeClient, PatchType, WriteOptions } from '@turnsole/kube/client/types';
import type { KubeObject, OwnerReference } from '@turnsole/kube/kinds/core';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { HelperError } from '../failure.ts';
import type { ResourceFlags } from './flags.ts';
import type { Subject } from './subjects.ts';

/** What the actions of `resource` templates work with. */
export interface ActionContext {
  readonly client: KubeClient;
  readonly flags: ResourceFlags;
  /** Owner of objects that are created or applied. */
  readonly owner: OwnerReference | undefined;
  readonly signal: AbortSignal;
}

const FIELD_MANAGER = 'turnsole-workflow';

/** The pod's own deadline ends a wait. */
export const NO_LIMIT_MS = 10 * 365 * 24 * 3600 * 1000;

type Act = (subject: Subject, context: ActionContext) => Promise<KubeObject | undefined>;

/** The actions on one object; each gives the object as it is then, but for `delete`. */
export const ACTIONS: Readonly<Record<string, Act>> = {
  get: ({ resource, name, namespace }, { client, signal }) =>
    client.get<KubeObject>(resource, checkedName(name, 'get'), { signal, namespace }),
  create: (subject, context) =>
    context.client.create<KubeObject>(subject.resource, owned(subject, context), writing(subject, context)),
  apply: async (subject, context) => {
    const { client, flags, signal } = context;
    const object = owned(subject, context);
    checkedName(object.metadata.name, 'apply');
    if (flags.isDryRun || flags.fieldValidation !== undefined || flags.subresource !== undefined)
      return client.patch<KubeObject>(subject.resource, object.metadata.name, 'apply', object, {
        ...writing(subject, context),
        force: true,
      });
    const { after } = await applyObject(client, subject.resource, object, {
      fieldManager: flags.fieldManager ?? FIELD_MANAGER,
      signal,
      namespace: subject.namespace,
    });
    return after;
  },
  replace: async (subject, context) => {
    const object = owned(subject, context);
    checkedName(object.metadata.name, 'replace');
    if (!context.flags.isForced)
      return context.client.update<KubeObject>(subject.resource, object, writing(subject, context));
    await remove(subject, context);
    return context.client.create<KubeObject>(subject.resource, object, writing(subject, context));
  },
  delete: async (subject, context) => {
    await remove(subject, context);
    return undefined;
  },
};

/** Patches one object. */
export function patchObject(
  subject: Subject,
  type: PatchType,
  patch: unknown,
  context: ActionContext,
): Promise<KubeObject> {
  return context.client.patch<KubeObject>(
    subject.resource,
    checkedName(subject.name, 'patch'),
    type,
    patch,
    writing(subject, context),
  );
}

/** Deletes an object and waits until it is gone; a missing one is fine. */
async function remove(
  { resource, name, namespace }: Subject,
  { client, flags, signal }: ActionContext,
): Promise<void> {
  const { gracePeriodSeconds, propagationPolicy, isDryRun } = flags;
  const found = await client.find<KubeObject>(resource, checkedName(name, 'delete'), {
    signal,
    namespace,
  });
  if (found === undefined) return;
  const { uid } = found.metadata;
  await client.delete(resource, name, {
    signal,
    namespace,
    gracePeriodSeconds,
    propagationPolicy,
    dryRun: isDryRun,
  });
  if (!flags.waits || isDryRun) return;
  await waitForObject<KubeObject>(client, resource, name, (object) => object?.metadata.uid !== uid, {
    timeoutMs: NO_LIMIT_MS,
    signal,
    namespace,
  });
}

function owned({ manifest }: Subject, { owner }: ActionContext): KubeObject {
  if (manifest === undefined) throw new HelperError('the action needs resource.manifest');
  if (owner === undefined) return manifest;
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, ownerReferences: [...(metadata.ownerReferences ?? []), owner] },
  };
}

function writing({ namespace }: Subject, { flags, signal }: ActionContext): WriteOptions {
  const { fieldValidation, subresource, isDryRun, fieldManager = FIELD_MANAGER } = flags;
  return {
    fieldManager,
    signal,
    namespace,
    fieldValidation,
    subresource,
    dryRun: isDryRun,
  };
}

function checkedName(name: string | undefined, action: string): string {
  if (name === undefined || name === '')
    throw new HelperError(`resource.manifest: the object has no name, and ${action} needs one`);
  return name;
}

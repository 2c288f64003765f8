import { awaitEstablished } from '@turnsole/kube/apply/await-established';
import { systemClock } from '@turnsole/kube/base/clock';
import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { hasNullableText, withNullableText } from '../../api/empty-text.ts';
import { CHAOS_RESULTS } from '../../api/index.ts';
import { askUntil } from '../../experiment/injection/ask-until.ts';
import { type ApplyObjectsContext, type ApplyOutcome, applyInstallObject } from './apply-object.ts';
import type { InstallObject } from './install-object.ts';
import { isOwnDefinition } from './names.ts';

const READY_TIMEOUT_MS = 60_000;
/** Any namespace does: nothing is stored. */
const PROBE_NAMESPACE = 'default';

/**
 * Stores the definitions of the chaos kinds and waits until they are served. Where the server refuses empty texts, which upstream's
 * charts are full of, they become nullable; a definition that is so already stays so, so that running engines see no change.
 */
export async function applyDefinitions(
  definitions: readonly InstallObject[],
  context: ApplyObjectsContext,
): Promise<void> {
  const stored: { readonly strict: InstallObject; readonly outcome: ApplyOutcome }[] = [];
  for (const strict of definitions) {
    const { name } = strict.metadata;
    const options = { signal: context.signal };
    const before = await context.client.find<KubeObject>(CUSTOM_RESOURCE_DEFINITIONS, name, options);
    if (isWorkflowKind(strict)) {
      // Argo's own say more than these, and Argo relies on them.
      const isOfOthers = before !== undefined && !isOwnDefinition(before);
      const outcome = isOfOthers ? 'kept' : (await applyInstallObject(strict, context)).outcome;
      await awaitEstablished(context.client, name, context.signal);
      context.kinds.forget();
      context.onApplied(strict, outcome, []);
      continue;
    }
    const isRelaxed = before !== undefined && hasNullableText(asDefinition(before));
    const { outcome } = await applyInstallObject(isRelaxed ? relaxed(strict) : strict, context);
    await awaitEstablished(context.client, name, context.signal);
    context.kinds.forget();
    if (isRelaxed) context.onApplied(strict, outcome, []);
    else stored.push({ strict, outcome });
  }
  const refuses = stored.length > 0 && (await refusesEmptyText(context.client, context.signal));
  for (const { strict, outcome } of stored) {
    if (refuses) await applyInstallObject(relaxed(strict), context);
    context.onApplied(strict, outcome, []);
  }
  if (refuses) await untilAccepted(context);
}

/** They have no texts that could be empty. */
function isWorkflowKind({ metadata }: InstallObject): boolean {
  return metadata.name.endsWith(`.${WORKFLOWS.group}`);
}

function relaxed(strict: InstallObject): InstallObject {
  return { ...strict, ...withNullableText(asDefinition(strict)), metadata: strict.metadata };
}

/** Both a rendered definition and a stored one have this type. */
function asDefinition(object: KubeObject | InstallObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}

/**
 * Whether the server takes an empty text for a null (docs/decisions/0020): asks it, as a dry run, to store an object with an empty text.
 * False as well where it gives no clear answer in time.
 */
async function refusesEmptyText(client: KubeClient, signal: AbortSignal): Promise<boolean> {
  // The webhook does not judge results, so it cannot answer in the server's place.
  const probe = { metadata: { name: 'turnsole-install' }, spec: { engine: '' } };
  const ask = async (): Promise<boolean | undefined> => {
    try {
      await client.create(CHAOS_RESULTS, probe, { namespace: PROBE_NAMESPACE, dryRun: true, signal });
      return false;
    } catch (error) {
      // An established kind may take a moment to be served.
      if (isNotFound(error)) return undefined;
      if (!(error instanceof ApiError)) throw error;
      return isRefusalOfEmptyText(error);
    }
  };
  return (await askUntil({ ask, timeoutMs: READY_TIMEOUT_MS, clock: systemClock, signal })) ?? false;
}

/** The sentence in which an empty text is called null. Pure. */
function isRefusalOfEmptyText({ status }: Pick<ApiError, 'status'>): boolean {
  return /must be of type string: "null"/.test(status.message ?? '');
}

/** A changed definition takes a moment until it is what the server judges by. */
async function untilAccepted({ client, signal }: ApplyObjectsContext): Promise<void> {
  const ask = async (): Promise<true | undefined> =>
    (await refusesEmptyText(client, signal)) ? undefined : true;
  await askUntil({ ask, timeoutMs: READY_TIMEOUT_MS, clock: systemClock, signal });
}

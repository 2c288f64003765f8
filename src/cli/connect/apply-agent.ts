import { isDeepStrictEqual } from 'node:util';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import { applyObjects } from '../../services/install/apply-objects.ts';
import type { InstallObject } from '../../services/install/install-object.ts';
import { agentObjects, credentialsOf } from './agent-objects.ts';

/** Applies the objects of an agent. @returns what became of them: `31 created, 2 unchanged` */
export async function applyAgent(
  client: KubeClient,
  objects: readonly InstallObject[],
  signal: AbortSignal,
): Promise<string> {
  const counts = new Map<string, number>();
  await applyObjects(objects, {
    ...{ client, signal, kinds: new KindResolver(client) },
    onApplied: (_object, outcome) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
  });
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}

/** Rounds of {@link keepCredentials}: an agent confirms itself once. */
const MOST_ROUNDS = 5;

/**
 * Applies the agent's credentials again as long as the server holds others than were applied: an agent that confirmed itself after the
 * manifest was read has another key by now, and the former one over it would lock it out. One that confirms itself after the last look writes its
 * key later.
 *
 * @param presentManifest reads the manifest that the server would write now
 */
export async function keepCredentials(
  client: KubeClient,
  applied: readonly InstallObject[],
  presentManifest: () => Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  let before = credentialsOf(applied);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const present = credentialsOf(agentObjects(await presentManifest()));
    if (isDeepStrictEqual(present, before)) return;
    await applyAgent(client, present, signal);
    before = present;
  }
}

import { isObject } from '@turnsole/kube/text/json';
import { isMutex } from './lock-name.ts';
import type { LockTable } from './lock-table.ts';

/** `status.synchronization` of a workflow, as clients of Argo read it; undefined when it has nothing to do with locks. */
export function lockStatus(table: LockTable, isOwn: (holder: string) => boolean): unknown {
  const { holding, waiting } = table.of(isOwn);
  if (holding.length === 0 && waiting.length === 0) return undefined;
  const mutex = {
    ...list(
      'holding',
      holding.filter(([name]) => isMutex(name)).map(([name, holder]) => ({ mutex: name, holder })),
    ),
    ...list(
      'waiting',
      waiting.filter(isMutex).map((name) => ({ mutex: name, holder: table.holders(name)[0] ?? '' })),
    ),
  };
  const held = Map.groupBy(
    holding.filter(([name]) => !isMutex(name)),
    ([name]) => name,
  );
  const semaphore = {
    ...list(
      'holding',
      [...held].map(([name, pairs]) => ({ semaphore: name, holders: pairs.map(([, holder]) => holder) })),
    ),
    ...list(
      'waiting',
      waiting
        .filter((name) => !isMutex(name))
        .map((name) => ({ semaphore: name, holders: table.holders(name) })),
    ),
  };
  return {
    ...(Object.keys(mutex).length > 0 && { mutex }),
    ...(Object.keys(semaphore).length > 0 && { semaphore }),
  };
}

function list(field: string, items: readonly unknown[]): Record<string, unknown> {
  return items.length === 0 ? {} : { [field]: items };
}

/** Locks and their holders of a stored `status.synchronization`. */
export function storedHolders(
  synchronization: unknown,
): { readonly name: string; readonly holder: string }[] {
  if (!isObject(synchronization)) return [];
  const { mutex, semaphore } = synchronization;
  const mutexes = holdingOf(mutex).map(({ mutex: name, holder }) => ({ name, holder }));
  const semaphores = holdingOf(semaphore).flatMap(({ semaphore: name, holders }) =>
    (Array.isArray(holders) ? holders : []).map((holder: unknown) => ({ name, holder })),
  );
  return [...mutexes, ...semaphores].flatMap(({ name, holder }) =>
    typeof name === 'string' && typeof holder === 'string' ? [{ name, holder }] : [],
  );
}

function holdingOf(part: unknown): readonly Record<string, unknown>[] {
  if (!isObject(part) || !Array.isArray(part['holding'])) return [];
  return part['holding'].filter(isObject);
}

/** A change of a list: everything, or new, changed and deleted items. */
export interface ListChange<Item> {
  readonly complete: boolean;
  readonly objects: readonly Item[];
  readonly removed: readonly string[];
}

/** The list after a change, the newest first, without duplicates. Pure. */
export function applyChange<Item extends { readonly id: string; readonly createdAt: string }>(
  before: readonly Item[],
  { complete, objects, removed }: ListChange<Item>,
): readonly Item[] {
  const byId = new Map(complete ? [] : before.map((item) => [item.id, item]));
  for (const item of objects) byId.set(item.id, item);
  for (const id of removed) byId.delete(id);
  return [...byId.values()].toSorted(
    (a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? -1 : 1),
  );
}

import type { NodeStatus } from '@turnsole/workflows/kinds/status';

/** What the place of a node goes by. */
type Ordered = Pick<NodeStatus, 'name' | 'displayName'> & { readonly startedAt?: string | undefined };

/** Nodes as they are listed: by start, elements of a loop by their number, then by name. */
export function byStart(a: Ordered, b: Ordered): number {
  return (
    startOf(a) - startOf(b) || indexOf(a) - indexOf(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

function startOf({ startedAt }: Ordered): number {
  const time = Date.parse(startedAt ?? '');
  // Nodes that have not begun come last.
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

/** `[2]` of a group of steps, `x(3:value)` of a loop. */
function indexOf({ displayName }: Ordered): number {
  const found = /^\[(\d+)\]$|\((\d+)[:)]/.exec(displayName);
  return found === null ? 0 : Number(found[1] ?? found[2]);
}

/** Ids of injections, which are those of their ledger entries. */

/** Unique in all runs of a fault, where `own` is in a round. Pure. */
export function injectionId(runId: string, round: number, own: string): string {
  return `${runId}.r${round}.${own}`;
}

/** The round in an id; 0 in one of another form. Pure. */
export function roundOf(id: string): number {
  return Number(/^[^.]*\.r(\d+)\./.exec(id)?.[1] ?? 0);
}

/** Parses the text form of a set of completion indexes, e.g. `1,3-5`. What is no number is left out. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) continue;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** Text form of a set of completion indexes: ascending, three or more in a row joined by a hyphen. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((left, right) => left - right);
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < sorted.length; i++) {
    const here = sorted[i] ?? 0;
    if (sorted[i + 1] === here + 1) continue;
    const first = sorted[start] ?? 0;
    if (i === start) parts.push(String(here));
    else parts.push(here - first === 1 ? `${first},${here}` : `${first}-${here}`);
    start = i + 1;
  }
  return parts.join(',');
}

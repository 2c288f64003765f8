/** A place where two answers differ. */
export interface Difference {
  /** JSON pointer into the answer (`/status`, `/body/metadata/name`, `/events/0/type`). */
  readonly path: string;
  /** Absent: the recording has nothing there. */
  readonly recorded?: unknown;
  /** Absent: our server sent nothing there. */
  readonly ours?: unknown;
}

/** Every place where the values differ, in the order of the recording. Arrays are compared by position. */
export function diff(recorded: unknown, ours: unknown, path = ''): Difference[] {
  if (Object.is(recorded, ours)) return [];
  if (!isBranch(recorded) || !isBranch(ours) || Array.isArray(recorded) !== Array.isArray(ours)) {
    return [{ path, recorded, ours }];
  }
  const left = new Map(Object.entries(recorded));
  const right = new Map(Object.entries(ours));
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!right.has(key)) return [{ path: at, recorded: left.get(key) }];
    if (!left.has(key)) return [{ path: at, ours: right.get(key) }];
    return diff(left.get(key), right.get(key), at);
  });
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const LONGEST_VALUE = 400;

/** The differences as text, one place after the other. */
export function describeDifferences(differences: readonly Difference[]): string {
  return differences
    .map((difference) => {
      const { path } = difference;
      if (!('ours' in difference)) return `  ${path}\n    - ${show(difference.recorded)}`;
      if (!('recorded' in difference)) return `  ${path}\n    + ${show(difference.ours)}`;
      return `  ${path}\n    - ${show(difference.recorded)}\n    + ${show(difference.ours)}`;
    })
    .join('\n');
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)` : text;
}

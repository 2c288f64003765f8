/** A line of a diff. */
interface DiffLine {
  /** In both texts, in the first only, in the second only, or a placeholder for omitted common lines. */
  readonly kind: 'same' | 'gone' | 'new' | 'left-out';
  readonly text: string;
}

/** Limit of the comparison, in lines by lines: beyond it all lines count as changed, since such a diff would not be readable anyway. */
const MOST_CELLS = 4_000_000;

/** The diff of two texts by line, with so many common lines around changes. Empty for equal texts. Pure. */
export function lineDiff(before: string, after: string, around: number): readonly DiffLine[] {
  if (before === after) return [];
  const [a, b] = [before.split('\n'), after.split('\n')];
  const head = commonLength(a, b);
  const tail = commonLength(a.slice(head).toReversed(), b.slice(head).toReversed());
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return folded(
    [
      ...a.slice(0, head).map(same),
      ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
      ...a.slice(a.length - tail).map(same),
    ],
    around,
  );
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((line, index) => line !== b[index]);
  return end === -1 ? a.length : end;
}

/** The diff by the longest common subsequence; removed lines before added ones. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const gone = (text: string): DiffLine => ({ kind: 'gone', text });
  const added = (text: string): DiffLine => ({ kind: 'new', text });
  if (a.length * b.length > MOST_CELLS) return [...a.map(gone), ...b.map(added)];
  const width = b.length + 1;
  // Length of the longest common subsequence of the remaining lines of both.
  const left = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      left[i * width + j] =
        a[i] === b[j]
          ? (left[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(left[(i + 1) * width + j] ?? 0, left[i * width + j + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && one === other) {
      lines.push({ kind: 'same', text: one });
      i += 1;
      j += 1;
    } else if (
      one !== undefined &&
      (other === undefined || (left[(i + 1) * width + j] ?? 0) >= (left[i * width + j + 1] ?? 0))
    ) {
      lines.push(gone(one));
      i += 1;
    } else {
      lines.push(added(other ?? ''));
      j += 1;
    }
  }
  return lines;
}

/** Replaces common lines far from changes by one line with their number. */
function folded(lines: readonly DiffLine[], around: number): DiffLine[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') for (let at = index - around; at <= index + around; at += 1) near.add(at);
  const shown: DiffLine[] = [];
  let hidden = 0;
  const close = (): void => {
    if (hidden > 0) shown.push({ kind: 'left-out', text: hidden === 1 ? 'one line' : `${hidden} lines` });
    hidden = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) {
      close();
      shown.push(line);
    } else hidden += 1;
  }
  close();
  return shown;
}

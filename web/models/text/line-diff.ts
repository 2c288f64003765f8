/** A line of two texts laid over one another. */
interface DiffLine {
  /** Of both, of the first only, of the second only, or in place of so many lines of both that are left out. */
  readonly kind: 'same' | 'gone' | 'new' | 'left-out';
  readonly text: string;
}

/** Of texts that differ in more than this, in lines by lines, all is said to be otherwise: nobody would read what is common. */
const MOST_CELLS = 4_000_000;

/** What is otherwise in a text, line by line, with so many lines around it that are the same. None where they are the same. Pure. */
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

/** By the longest common subsequence; of equals, what is gone stands before what is new. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const gone = (text: string): DiffLine => ({ kind: 'gone', text });
  const added = (text: string): DiffLine => ({ kind: 'new', text });
  if (a.length * b.length > MOST_CELLS) return [...a.map(gone), ...b.map(added)];
  const width = b.length + 1;
  // How long the longest common subsequence of what is left of both is.
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

/** Lines of both that are far from what is otherwise become one that says how many they are. */
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

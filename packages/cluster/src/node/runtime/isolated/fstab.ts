/** One mount, as a line of fstab(5) gives it. */
export interface MountEntry {
  readonly source: string;
  /** Absolute path on the host. */
  readonly target: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Gives the text that `mount -a -T` carries out in this order; pure. */
export function formatFstab(entries: readonly MountEntry[]): string {
  return entries
    .map(({ source, target, type, options }) =>
      [source, target, type, options.join(',') || 'defaults', '0', '0'].map(escapeField).join(' '),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function escapeField(text: string): string {
  return text.replace(/[\s\\#]/g, (found) => `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** Shows a file or folder at another place, with everything mounted below it. @param kept options of its mount that a read-only one must have as well */
export function bindEntry(
  source: string,
  target: string,
  readOnly: boolean,
  kept: readonly string[] = [],
): MountEntry {
  return { source, target, type: 'none', options: readOnly ? ['rbind', 'ro', ...kept] : ['rbind'] };
}

/** Shows `lower`, the highest folder first, with changes kept in `upper`; `work` is the kernel's. */
export function overlayEntry(layer: {
  readonly lower: readonly string[];
  readonly upper: string;
  readonly work: string;
  readonly target: string;
  readonly readOnly: boolean;
  /** Whether it is mounted in a namespace of a user, who may only set attributes of users. @default false */
  readonly ofUser?: boolean;
}): MountEntry {
  const { lower, upper, work, target, readOnly, ofUser = false } = layer;
  const options = [
    `lowerdir=${lower.join(':')}`,
    `upperdir=${upper}`,
    `workdir=${work}`,
    ...(ofUser ? ['userxattr'] : []),
  ];
  return { source: 'overlay', target, type: 'overlay', options: readOnly ? ['ro', ...options] : options };
}

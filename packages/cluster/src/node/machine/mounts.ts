/** One mounted file system of a process. */
export interface Mount {
  /** The part of its file system that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  /** Of this mount: `ro`, `nosuid`. */
  readonly options: readonly string[];
  /** Of its file system: controllers of a hierarchy, folders of an overlay. */
  readonly superOptions: readonly string[];
}

/** The mounts of a process, in their order; pure. @param mountInfo text of /proc/<pid>/mountinfo (proc(5)) */
export function mountsOf(mountInfo: string): Mount[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root = '/', point, options = ''] = left.split(' ');
    const [type = '', , superOptions = ''] = right.split(' ');
    if (point === undefined || type === '') return [];
    return [
      {
        ...{ root: plain(root), point: plain(point), type },
        options: options.split(','),
        superOptions: superOptions.split(',').map(plain),
      },
    ];
  });
}

/** Blanks and backslashes stand there as three octal digits. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_text, code: string) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  );
}

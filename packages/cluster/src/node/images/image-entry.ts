/** What an image of the catalogue runs: its entry point and defaults, as an image's configuration would say. */
export interface ImageEntry {
  /** ENTRYPOINT; `command` of the container replaces it. */
  readonly entrypoint: readonly string[];
  /** CMD; `args` of the container replaces it. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path on the host, or a folder of `programs`. @default the container's own empty folder */
  readonly workingDir?: string;
  /** In a container with a root of its own, `workingDir` counts only if the command names files of it. @default false */
  readonly workingDirIfNamed?: boolean;
  /**
   * Its own programs: path in the image, and the words of the command line that is run for it. Their folders are on PATH, before those of
   * the host, and `workingDir` may be one of them. @default none: its programs are the host's
   */
  readonly programs?: Readonly<Record<string, readonly string[]>>;
  /**
   * Its programs ask TMPDIR and TURNSOLE_POD_ROOT where their files are: containers without a root of their own then start without the
   * detour that shows them a `/tmp` of their own. @default false
   */
  readonly findsTemp?: boolean;
  /** Its containers may ask the machine to stop and start nodes, as privileged ones may. @default false */
  readonly reachesMachine?: boolean;
}

/** An image whose programs are files of the cluster. */
export interface InstalledImage extends Omit<ImageEntry, 'programs'> {
  /** Path in the image, and the file on the host. */
  readonly programs?: Readonly<Record<string, string>>;
}

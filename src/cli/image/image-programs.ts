/** A program that builds and keeps images. */
interface ImageProgram {
  /** The words that end well where it can be used: Docker's command is often there without its daemon. */
  readonly works: readonly string[];
  /** Writes an image into a file. */
  readonly save: (name: string, file: string) => readonly string[];
  /** Builds what a file says from a folder, under a name. */
  readonly build: (name: string, dockerfile: string, folder: string) => readonly string[];
}

/** In the order in which they are asked. */
export const IMAGE_PROGRAMS: Readonly<Record<string, ImageProgram>> = {
  docker: {
    works: ['docker', 'version'],
    save: (name, file) => ['docker', 'save', '-o', file, name],
    build: (name, dockerfile, folder) => ['docker', 'build', '-t', name, '-f', dockerfile, folder],
  },
  podman: {
    works: ['podman', '--version'],
    save: (name, file) => ['podman', 'save', '--quiet', '--format', 'docker-archive', '-o', file, name],
    build: (name, dockerfile, folder) => ['podman', 'build', '-t', name, '-f', dockerfile, folder],
  },
  buildah: {
    works: ['buildah', '--version'],
    save: (name, file) => ['buildah', 'push', '--quiet', name, `docker-archive:${file}:${name}`],
    build: (name, dockerfile, folder) => ['buildah', 'build', '-t', name, '-f', dockerfile, folder],
  },
};

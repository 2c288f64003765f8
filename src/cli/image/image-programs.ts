/** Programs that have images, and how each writes one into a file. */
export const IMAGE_PROGRAMS: Readonly<Record<string, (name: string, file: string) => readonly string[]>> = {
  docker: (name, file) => ['docker', 'save', '-o', file, name],
  podman: (name, file) => ['podman', 'save', '--quiet', '--format', 'docker-archive', '-o', file, name],
  buildah: (name, file) => ['buildah', 'push', '--quiet', name, `docker-archive:${file}:${name}`],
};

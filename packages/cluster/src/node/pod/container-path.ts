import type { ContainerRole } from './observed.ts';

/** Where in its pod a container stands, as Events on the pod name it; pure. */
export function containerPath(name: string, role: ContainerRole | undefined): string {
  const list =
    role === 'app' ? 'containers' : role === 'ephemeral' ? 'ephemeralContainers' : 'initContainers';
  return `spec.${list}{${name}}`;
}

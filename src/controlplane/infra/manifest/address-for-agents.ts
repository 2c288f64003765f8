import type { ServerSettings } from '../../access/server-settings.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address that an agent is given: the one by which the client has reached the server. In a cluster, a client behind `kubectl port-forward` has
 * come by its own loopback, where no agent finds the server: then it is that of the Service. Pure.
 */
export function addressForAgents(
  reached: string,
  { publicUrl, serviceUrl }: Pick<ServerSettings, 'publicUrl' | 'serviceUrl'>,
): string {
  if (publicUrl !== undefined || serviceUrl === undefined || !URL.canParse(reached)) return reached;
  return LOOPBACK.test(new URL(reached).hostname) ? serviceUrl : reached;
}

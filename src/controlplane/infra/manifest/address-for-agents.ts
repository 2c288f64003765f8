import type { ServerSettings } from '../../access/server-settings.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The server's address for an agent: the one that the client uses. A client behind `kubectl port-forward` uses its own loopback, which no
 * agent can reach: then it is the address of the Service. Pure.
 */
export function addressForAgents(
  reached: string,
  { publicUrl, serviceUrl }: Pick<ServerSettings, 'publicUrl' | 'serviceUrl'>,
): string {
  if (publicUrl !== undefined || serviceUrl === undefined || !URL.canParse(reached)) return reached;
  return LOOPBACK.test(new URL(reached).hostname) ? serviceUrl : reached;
}

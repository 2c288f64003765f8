/**
 * Whether a request's `Host` is a name of this server. Otherwise an attacker could point a name of their own at this machine's address
 * (DNS rebinding), and their page would count as this server's. Pure.
 *
 * @param hosts without ports; undefined accepts any
 */
export function hostAllowed(host: string | undefined, hosts: readonly string[] | undefined): boolean {
  if (hosts === undefined) return true;
  return host !== undefined && hosts.includes(host.replace(/:\d+$/, ''));
}

/**
 * Whether a request's `Host` is one that this server goes by: a page elsewhere can give its own name this machine's address, and would then
 * count as this server's page. Pure.
 *
 * @param hosts without ports; undefined takes any
 */
export function hostAllowed(host: string | undefined, hosts: readonly string[] | undefined): boolean {
  if (hosts === undefined) return true;
  return host !== undefined && hosts.includes(host.replace(/:\d+$/, ''));
}

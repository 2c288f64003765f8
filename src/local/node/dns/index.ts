/** Cluster DNS: names of services and pods. See README.md. */
export { type ClusterDns, type ClusterDnsOptions, startClusterDns } from './cluster-dns.ts';
export {
  type ClusterDnsConfig,
  formatResolvConf,
  parseResolvConf,
  podResolverConfig,
  type ResolverConfig,
} from './resolv-conf.ts';
export type { UpstreamServer } from './upstream.ts';

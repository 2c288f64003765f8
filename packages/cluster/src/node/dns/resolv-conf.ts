import type { PodSpec } from '@turnsole/kube/kinds/core';
import type { ResolverConfig } from '@turnsole/kube/text/resolv-conf';

/** The name servers of a cluster. */
export interface ClusterDnsConfig {
  readonly nameservers: readonly string[];
  /** `cluster.local` */
  readonly domain: string;
  /** What the machine itself uses. */
  readonly host: ResolverConfig;
}

/** Resolvers read no more servers than this (MAXNS of resolv.h), and Kubernetes allows no more domains. */
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;

/**
 * The resolver configuration of a pod by its `dnsPolicy` and `dnsConfig`; pure.
 *
 * ClusterFirst in a pod of the host's network means the host's, as in Kubernetes; None takes the fields of `dnsConfig` only.
 */
export function podResolverConfig(
  spec: PodSpec,
  namespace: string,
  cluster: ClusterDnsConfig,
): ResolverConfig {
  const { dnsConfig } = spec;
  const base = baseConfig(spec, namespace, cluster);
  const options = new Map(base.options.map((option) => [option.split(':')[0] ?? option, option]));
  for (const { name = '', value } of dnsConfig?.options ?? []) {
    if (name !== '') options.set(name, value === undefined || value === '' ? name : `${name}:${value}`);
  }
  const unique = (...lists: (readonly string[] | undefined)[]): string[] => [
    ...new Set(lists.flatMap((list) => list ?? [])),
  ];
  return {
    nameservers: unique(base.nameservers, dnsConfig?.nameservers).slice(0, MAX_NAMESERVERS),
    searches: unique(base.searches, dnsConfig?.searches).slice(0, MAX_SEARCHES),
    options: [...options.values()],
  };
}

/** A resolver configuration as the file that programs read; pure. */
export function formatResolvConf({ nameservers, searches, options }: ResolverConfig): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...nameservers.map((address) => `nameserver ${address}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function baseConfig(spec: PodSpec, namespace: string, cluster: ClusterDnsConfig): ResolverConfig {
  const { dnsPolicy = 'ClusterFirst', hostNetwork = false } = spec;
  if (dnsPolicy === 'None') return { nameservers: [], searches: [], options: [] };
  if (dnsPolicy === 'Default' || (dnsPolicy === 'ClusterFirst' && hostNetwork)) return cluster.host;
  const { nameservers, domain, host } = cluster;
  const searches = [`${namespace}.svc.${domain}`, `svc.${domain}`, domain, ...host.searches];
  return { nameservers, searches, options: ['ndots:5'] };
}

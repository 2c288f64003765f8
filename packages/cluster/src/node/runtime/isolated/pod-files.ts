import type { Pod } from '@turnsole/kube/kinds/core';

/** Gives a pod's /etc/hosts (kubelet's form); pure. Pods of the host's network have the host's, with their aliases. */
export function hostsFile(pod: Pod, ip: string, hostname: string, hostFile: string): string {
  const { hostNetwork = false, hostAliases = [], subdomain } = pod.spec ?? {};
  const namespace = pod.metadata.namespace ?? '';
  const domain = subdomain === undefined ? '' : `${hostname}.${subdomain}.${namespace}.svc.cluster.local\t`;
  const own = hostNetwork
    ? hostFile.trimEnd()
    : [
        '# The address and name of the pod',
        '127.0.0.1\tlocalhost',
        '::1\tlocalhost ip6-localhost ip6-loopback',
        `${ip}\t${domain}${hostname}`,
      ].join('\n');
  const aliases = hostAliases.map(({ ip: address = '', hostnames = [] }) =>
    [address, ...hostnames].join('\t'),
  );
  const said = aliases.length === 0 ? [] : ['# hostAliases of the pod', ...aliases];
  return [own, ...said, ''].join('\n');
}

/** Name that a pod's containers see as the machine's; pure. At most 63 characters, as kubelet has it. */
export function podHostname(pod: Pod): string {
  return (pod.spec?.hostname ?? pod.metadata.name).slice(0, 63).replace(/[-.]+$/, '');
}

/** A volume of memory that all containers of a pod share. */
interface MemoryVolume {
  readonly name: string;
  /** Undefined = as much as the kernel gives. */
  readonly sizeLimit?: string;
}

/** The pod's emptyDir volumes in memory; pure. */
export function memoryVolumes(pod: Pod): MemoryVolume[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, emptyDir }) => {
    if (emptyDir?.medium !== 'Memory') return [];
    const sizeLimit = emptyDir.sizeLimit;
    return [sizeLimit === undefined ? { name } : { name, sizeLimit: String(sizeLimit) }];
  });
}

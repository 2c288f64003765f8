/** The faults by name. Each is loaded on demand: a process loads only the one it runs. */

import type { Environment } from '@turnsole/kube/text/environment';
import { ownFaultFiles } from '../chaos/own-faults.ts';
import type { Fault, FaultRegistry } from '../experiment/injection/fault.ts';
import { compileSettings } from '../experiment/injection/settings/compile-settings.ts';
import type { TunableProblem } from '../experiment/injection/settings/parse-tunables.ts';

const LOADERS: Readonly<Record<string, () => Promise<{ readonly default: Fault }>>> = {
  'pod-delete': () => import('./pod/pod-delete.ts'),
  'pod-autoscaler': () => import('./pod/pod-autoscaler.ts'),
  'container-kill': () => import('./pod/container-kill.ts'),
  'pod-cpu-hog': () => import('./stress/pod-cpu-hog.ts'),
  'pod-memory-hog': () => import('./stress/pod-memory-hog.ts'),
  'disk-fill': () => import('./stress/disk-fill.ts'),
  'pod-io-stress': () => import('./stress/pod-io-stress.ts'),
  'node-cpu-hog': () => import('./stress/node-cpu-hog.ts'),
  'node-memory-hog': () => import('./stress/node-memory-hog.ts'),
  'node-io-stress': () => import('./stress/node-io-stress.ts'),
  'node-drain': () => import('./node/node-drain.ts'),
  'node-taint': () => import('./node/node-taint.ts'),
  'node-restart': () => import('./node/restart/node-restart.ts'),
  'kubelet-service-kill': () => import('./node/service/kubelet-service-kill.ts'),
  'docker-service-kill': () => import('./node/service/docker-service-kill.ts'),
  'pod-cpu-hog-exec': () => import('./stress/pod-cpu-hog-exec.ts'),
  'pod-memory-hog-exec': () => import('./stress/pod-memory-hog-exec.ts'),
  'pod-fio-stress': () => import('./stress/pod-fio-stress.ts'),
  'pod-network-latency': () => import('./network/pod-network-latency.ts'),
  'pod-network-loss': () => import('./network/pod-network-loss.ts'),
  'pod-network-corruption': () => import('./network/pod-network-corruption.ts'),
  'pod-network-duplication': () => import('./network/pod-network-duplication.ts'),
  'pod-network-partition': () => import('./network/pod-network-partition.ts'),
  'pod-network-rate-limit': () => import('./network/pod-network-rate-limit.ts'),
  'pod-http-latency': () => import('./http/pod-http-latency.ts'),
  'pod-http-status-code': () => import('./http/pod-http-status-code.ts'),
  'pod-http-modify-header': () => import('./http/pod-http-modify-header.ts'),
  'pod-http-modify-body': () => import('./http/pod-http-modify-body.ts'),
  'pod-http-reset-peer': () => import('./http/pod-http-reset-peer.ts'),
  'pod-dns-error': () => import('./dns/pod-dns-error.ts'),
  'pod-dns-spoof': () => import('./dns/pod-dns-spoof.ts'),
  'kafka-broker-pod-failure': () => import('./kafka/kafka-broker-pod-failure.ts'),
  'cassandra-pod-delete': () => import('./cassandra/cassandra-pod-delete.ts'),
  'k6-loadgen': () => import('./load/k6-loadgen.ts'),
  'redfish-node-restart': () => import('./bare-metal/redfish-node-restart.ts'),
  'aws-az-chaos': () => import('./cloud/aws/aws-az-chaos.ts'),
  'aws-ssm-chaos-by-id': () => import('./cloud/aws/aws-ssm-chaos-by-id.ts'),
  'aws-ssm-chaos-by-tag': () => import('./cloud/aws/aws-ssm-chaos-by-tag.ts'),
  'ebs-loss-by-id': () => import('./cloud/aws/ebs-loss-by-id.ts'),
  'ebs-loss-by-tag': () => import('./cloud/aws/ebs-loss-by-tag.ts'),
  'ec2-stop-by-id': () => import('./cloud/aws/ec2-stop-by-id.ts'),
  'ec2-stop-by-tag': () => import('./cloud/aws/ec2-stop-by-tag.ts'),
  'ec2-terminate-by-id': () => import('./cloud/aws/ec2-terminate-by-id.ts'),
  'ec2-terminate-by-tag': () => import('./cloud/aws/ec2-terminate-by-tag.ts'),
  'azure-disk-loss': () => import('./cloud/azure/azure-disk-loss.ts'),
  'azure-instance-stop': () => import('./cloud/azure/azure-instance-stop.ts'),
  'gcp-vm-disk-loss': () => import('./cloud/gcp/gcp-vm-disk-loss.ts'),
  'gcp-vm-disk-loss-by-label': () => import('./cloud/gcp/gcp-vm-disk-loss-by-label.ts'),
  'gcp-vm-instance-stop': () => import('./cloud/gcp/gcp-vm-instance-stop.ts'),
  'gcp-vm-instance-stop-by-label': () => import('./cloud/gcp/gcp-vm-instance-stop-by-label.ts'),
  'vm-poweroff': () => import('./cloud/vmware/vm-poweroff.ts'),
  'rds-instance-stop': () => import('./cloud/aws/rds-instance-stop.ts'),
  'spring-boot-app-kill': () => import('./spring-boot/spring-boot-app-kill.ts'),
  'spring-boot-cpu-stress': () => import('./spring-boot/spring-boot-cpu-stress.ts'),
  'spring-boot-memory-stress': () => import('./spring-boot/spring-boot-memory-stress.ts'),
  'spring-boot-latency': () => import('./spring-boot/spring-boot-latency.ts'),
  'spring-boot-exceptions': () => import('./spring-boot/spring-boot-exceptions.ts'),
  'spring-boot-faults': () => import('./spring-boot/spring-boot-faults.ts'),
};

const registry = new Map<string, () => Promise<Fault>>(
  Object.entries(LOADERS).map(([name, load]) => [name, async () => (await load()).default]),
);
addOwnFaults(process.env);

/** Every fault: Turnsole's, and those of the user that the environment of the process names (src/chaos/own-faults.ts). */
export const faultRegistry: FaultRegistry = registry;

/** Whether a name is that of one of Turnsole's faults. */
export function isBuiltInFault(name: string): boolean {
  return Object.hasOwn(LOADERS, name);
}

/** Adds the faults of a user; none takes the place of one of Turnsole's. */
export function addOwnFaults(env: Environment): void {
  for (const [name, path] of ownFaultFiles(env))
    if (!isBuiltInFault(name)) {
      let loaded: Promise<Fault> | undefined;
      registry.set(name, () => {
        loaded ??= import('./load-own-fault.ts').then(({ loadOwnFault }) => loadOwnFault(name, path));
        return loaded;
      });
    }
}

/**
 * Every problem with the environment of an experiment, before anything is started; undefined for a fault that does not exist.
 * Variables whose value comes from elsewhere (valueFrom) cannot be judged here: leave them out.
 */
export async function validateFaultEnv(
  faultName: string,
  env: Environment,
): Promise<readonly TunableProblem[] | undefined> {
  const fault = await faultRegistry.get(faultName)?.();
  return fault === undefined ? undefined : compileSettings(fault, env, Math.random).problems;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '@turnsole/kube/text/environment';
import type { Fault } from '../experiment/injection/fault.ts';
import { compileSettings } from '../experiment/injection/settings/compile-settings.ts';
import type { Tunable } from '../experiment/injection/tunables.ts';
import { faultRegistry } from './index.ts';

const PERCENT = /^the percentage is 0, so that no packet is hit/;
const TOXICITY: Row = [{ TOXICITY: '0' }, /^TOXICITY is 0, so that no request is hit/];
const CPU: Row = [{ CPU_LOAD: '0' }, /^CPU_LOAD is 0 %/];

type Row = readonly [env: Environment, reason: RegExp | undefined];

/** Settings of each fault that ask for nothing, and near ones that ask for something. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  'pod-cpu-hog': [CPU, [{ CPU_LOAD: '1' }, undefined]],
  'node-cpu-hog': [CPU],
  'node-taint': [
    [{ TAINTS: 'a=b:PreferNoSchedule' }, /^TAINTS has PreferNoSchedule alone/],
    [{ TAINTS: 'a=b:PreferNoSchedule,a=b:NoSchedule' }, undefined],
    [{ TAINTS: 'a=b:NoExecute' }, undefined],
  ],
  'pod-network-latency': [
    [{ NETWORK_LATENCY: '0' }, /^NETWORK_LATENCY is 0 ms, as is JITTER/],
    [{ NETWORK_LATENCY: '0', JITTER: '5' }, undefined],
  ],
  'pod-network-loss': [[{ NETWORK_PACKET_LOSS_PERCENTAGE: '0' }, PERCENT]],
  'pod-network-corruption': [[{ NETWORK_PACKET_CORRUPTION_PERCENTAGE: '0' }, PERCENT]],
  'pod-network-duplication': [[{ NETWORK_PACKET_DUPLICATION_PERCENTAGE: '0' }, PERCENT]],
  'pod-http-latency': [TOXICITY],
  'pod-http-status-code': [TOXICITY],
  'pod-http-reset-peer': [TOXICITY],
  'pod-http-modify-header': [
    [{ HEADERS_MAP: '{"a":"b"}', ...TOXICITY[0] }, TOXICITY[1]],
    [{ HEADERS_MAP: '' }, /^HEADERS_MAP is empty/],
    [{ HEADERS_MAP: '{"a":"b"}' }, undefined],
  ],
  'pod-http-modify-body': [
    [{ RESPONSE_BODY: 'x', ...TOXICITY[0] }, TOXICITY[1]],
    [{ RESPONSE_BODY: '' }, /^RESPONSE_BODY is empty/],
    [{ RESPONSE_BODY: 'x' }, undefined],
  ],
  'pod-dns-spoof': [
    [{ SPOOF_MAP: '{}' }, /^SPOOF_MAP is empty/],
    [{ SPOOF_MAP: '{"a.b":"a.b"}' }, /^SPOOF_MAP gives each name its own address/],
    [{ SPOOF_MAP: '{"a.b":"c.d"}' }, undefined],
  ],
  'spring-boot-latency': [[{ LATENCY: '0' }, /^LATENCY is 0 ms/]],
  'spring-boot-faults': [
    [{ CM_LATENCY_ACTIVE: 'true', LATENCY: '0' }, /^LATENCY is 0 ms/],
    [{ CM_LATENCY_ACTIVE: 'true', LATENCY: '0', CM_CPU_ACTIVE: 'true' }, undefined],
  ],
};

/** Settings that may be 0, and ask for something then; why. `*` stands for every fault. */
const ZERO_ASKS: Readonly<Record<string, string>> = {
  '* CHAOS_INTERVAL': 'rounds without a pause',
  '* PODS_AFFECTED_PERC': 'one pod',
  '* CORRELATION': 'a fate of its own for each packet',
  '* JITTER': 'the same delay for each packet',
  '* FILESYSTEM_UTILIZATION_PERCENTAGE': 'not given',
  '* FILESYSTEM_UTILIZATION_BYTES': 'not given',
  'pod-autoscaler REPLICA_COUNT': 'no replica; as many as there are is known when the target is',
  'pod-autoscaler APP_AFFECT_PERC': 'one workload',
  'pod-cpu-hog CPU_CORES': 'all CPUs',
  'node-cpu-hog NODE_CPU_CORE': 'all CPUs',
  'container-kill CONTAINER_API_TIMEOUT': 'no limit',
  'disk-fill EPHEMERAL_STORAGE_MEBIBYTES': 'not given',
  'node-memory-hog MEMORY_CONSUMPTION_PERCENTAGE': 'not given',
  'node-memory-hog MEMORY_CONSUMPTION_MEBIBYTES': 'not given',
  'pod-io-stress CPU_CORES': 'no load of CPUs besides',
  'node-io-stress CPU': 'no load of CPUs besides',
  'node-io-stress VM_WORKERS': 'no load of memory besides',
  'pod-fio-stress IO_DEPTH': "fio's own",
  'pod-fio-stress NUMBER_OF_JOBS': 'one job',
  'pod-http-reset-peer RESET_TIMEOUT': 'a reset at once',
  'rds-instance-stop STATUS_CHECK_TIMEOUT': 'no wait',
  '* INSTANCE_AFFECTED_PERC': 'one instance',
  '* VOLUME_AFFECTED_PERC': 'one volume',
  '* DISK_AFFECTED_PERC': 'one disk',
  'aws-ssm-chaos-by-id CPU_CORE': 'all CPUs',
  'aws-ssm-chaos-by-tag CPU_CORE': 'all CPUs',
};

/** What faults have to be given to be judged at all. */
const REQUIRED: Readonly<Record<string, Environment>> = {
  'pod-autoscaler': { REPLICA_COUNT: '2' },
  'node-taint': { TAINTS: 'a' },
  'pod-fio-stress': { SIZE: '1' },
  'redfish-node-restart': { IPMI_IP: '10.0.0.1', USER: 'u', PASSWORD: 'p' },
  'aws-az-chaos': { LOAD_BALANCER_NAME: 'shop', LOAD_BALANCER_ZONES: 'eu-west-1a' },
  'aws-ssm-chaos-by-id': { REGION: 'eu-west-1', EC2_INSTANCE_ID: 'i-0' },
  'aws-ssm-chaos-by-tag': { REGION: 'eu-west-1', EC2_INSTANCE_TAG: 'a:b' },
  'ebs-loss-by-id': { REGION: 'eu-west-1', EBS_VOLUME_ID: 'vol-0' },
  'ebs-loss-by-tag': { REGION: 'eu-west-1', EBS_VOLUME_TAG: 'a:b' },
  'ec2-stop-by-id': { REGION: 'eu-west-1', EC2_INSTANCE_ID: 'i-0' },
  'ec2-stop-by-tag': { REGION: 'eu-west-1', EC2_INSTANCE_TAG: 'a:b' },
  'ec2-terminate-by-id': { REGION: 'eu-west-1', EC2_INSTANCE_ID: 'i-0' },
  'ec2-terminate-by-tag': { REGION: 'eu-west-1', EC2_INSTANCE_TAG: 'a:b' },
  'azure-disk-loss': { RESOURCE_GROUP: 'g', VIRTUAL_DISK_NAMES: 'd' },
  'azure-instance-stop': { RESOURCE_GROUP: 'g', AZURE_INSTANCE_NAMES: 'i' },
  'gcp-vm-disk-loss': { GCP_PROJECT_ID: 'p', ZONES: 'europe-west1-b', DISK_VOLUME_NAMES: 'd' },
  'gcp-vm-disk-loss-by-label': { GCP_PROJECT_ID: 'p', ZONES: 'europe-west1-b', DISK_VOLUME_LABEL: 'a' },
  'gcp-vm-instance-stop': { GCP_PROJECT_ID: 'p', ZONES: 'europe-west1-b', VM_INSTANCE_NAMES: 'i' },
  'gcp-vm-instance-stop-by-label': { GCP_PROJECT_ID: 'p', ZONES: 'europe-west1-b', INSTANCE_LABEL: 'a' },
  'vm-poweroff': { VCENTERSERVER: 'v', VCENTERUSER: 'u', VCENTERPASS: 'p', APP_VM_MOIDS: 'vm-1' },
  'rds-instance-stop': { REGION: 'eu-west-1', RDS_INSTANCE_IDENTIFIER: 'shop' },
  'spring-boot-faults': { CM_CPU_ACTIVE: 'true' },
  'pod-http-modify-header': { HEADERS_MAP: '{"a":"b"}' },
  'pod-http-modify-body': { RESPONSE_BODY: 'x' },
  'pod-dns-spoof': { SPOOF_MAP: '{"a.b":"c.d"}' },
};

function reasonOf(fault: Fault, env: Environment): string | undefined {
  const { settings, problems } = compileSettings(fault, env, () => 0);
  assert.deepEqual(problems, [], fault.name);
  return fault.idleReason?.(settings.tunables);
}

/** Whether a setting has a value that looks like nothing. */
function mayBeNothing(tunable: Tunable): boolean {
  switch (tunable.type) {
    case 'integer':
    case 'number':
      return tunable.minimum <= 0 && tunable.maximum > 0;
    case 'percentage':
      return (tunable.minimum ?? 0) === 0;
    case 'duration':
      return (tunable.minimumMs ?? 0) === 0;
    case 'map':
      return true;
    default:
      return false;
  }
}

test('settings that ask for nothing are known before anything starts', async (t) => {
  for (const [name, load] of faultRegistry) {
    await t.test(name, async () => {
      const fault = await load();
      assert.equal(reasonOf(fault, REQUIRED[name] ?? {}), undefined, 'the usual settings ask for something');
      for (const [env, expected] of ROWS[name] ?? []) {
        const found = reasonOf(fault, env);
        if (expected === undefined) assert.equal(found, undefined, JSON.stringify(env));
        else assert.match(found ?? '', expected, JSON.stringify(env));
      }
    });
  }
});

test('every setting that may be nothing has a row above, or a reason why nothing is something', async () => {
  for (const [name, load] of faultRegistry) {
    const { tunables } = await load();
    for (const [variable, tunable] of Object.entries(tunables)) {
      if (!mayBeNothing(tunable)) continue;
      const isRow = (ROWS[name] ?? []).some(([env, reason]) => variable in env && reason !== undefined);
      const isTold = `${name} ${variable}` in ZERO_ASKS || `* ${variable}` in ZERO_ASKS;
      assert.ok(isRow || isTold, `${name}: what does ${variable} ask for when it is 0 or empty?`);
    }
  }
});

import { type Capability, nameCapabilities } from '@turnsole/kube/text/capabilities';
import { type MachineLacks, machineLacks, OF_OTHER_IDS, type Tool } from '../../chaos/machine-lacks.ts';
import { ownFeatures } from '../../process/own-features.ts';
import type { Fault } from '../injection/fault.ts';
import { CAPABILITY_ADVICE } from './capabilities.ts';
import { nameTools, TOOL_ADVICE } from './tools.ts';

/** What is to inject: a helper that checks itself, or the pods of an embedded cluster, which is checked beforehand. */
type Injector = 'helper' | 'embedded';

/** What this process lacks of all that faults may need. */
export function ownLacks(): MachineLacks {
  return machineLacks(ownFeatures());
}

/**
 * Why a machine that lacks these things cannot inject a fault: all of its needs that are not met, by name, and what to do. Undefined
 * when nothing is missing. Pure.
 */
export function obstacleTo(
  { name, needs = {} }: Pick<Fault, 'name' | 'needs'>,
  lacks: MachineLacks,
  injector: Injector,
): string | undefined {
  const isEmbedded = injector === 'embedded';
  // The embedded cluster enforces policies by rules of nft in the networks of isolated pods.
  const needsPolicies = needs.networkPolicies === true && isEmbedded;
  const capabilities = common<Capability>(needs.capabilities, lacks.capabilities);
  const tools = common<Tool>(
    [...(needs.tools ?? []), ...(needsPolicies ? ['nft' as const] : [])],
    lacks.tools,
  );
  const inTargets = isEmbedded ? common<Tool>(needs.targetTools, lacks.tools) : [];
  const isolation = needs.isolatedPods === true || needsPolicies ? lacks.isolation : undefined;
  const other = needs.linux === true ? lacks.linux : undefined;
  const hasRights = capabilities.length === 0 && isolation === undefined;
  const lacksIds = !hasRights && isolation === undefined && capabilities.every(isOfOtherIds);
  const reasons = [
    ...(other === undefined ? [] : [`it takes Linux, where /proc tells of containers, and this is ${other}`]),
    ...(capabilities.length === 0 ? [] : [`this process lacks ${nameCapabilities(capabilities)}`]),
    ...(isolation === undefined ? [] : [`pods share networks, processes and files here (${isolation})`]),
    ...(tools.length === 0 ? [] : [`not found in PATH: ${nameTools(tools)}`]),
    ...(inTargets.length === 0
      ? []
      : [`not found in PATH, which containers of the embedded cluster share: ${nameTools(inTargets)}`]),
  ];
  if (reasons.length === 0) return undefined;
  const advice = [
    ...(other === undefined ? [] : ['choose a node with Linux, or start turnsole on Linux']),
    ...(tools.length + inTargets.length === 0
      ? []
      : [isEmbedded ? 'install it on this machine' : TOOL_ADVICE]),
    ...(hasRights ? [] : [isEmbedded ? (lacksIds ? ID_ADVICE : ROOT_ADVICE) : CAPABILITY_ADVICE]),
  ];
  return `cannot inject ${name}: ${[...reasons, ...advice].join('; ')}`;
}

const ROOT_ADVICE =
  'start turnsole as root on Linux or as a user who may make namespaces (turnsole doctor says what keeps this one from it), with ' +
  '--isolation full; in a container, one that is privileged';

const ID_ADVICE =
  'start turnsole as root on Linux, or give this user further ids: install newuidmap (package uidmap), and run ' +
  'usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER as root';

function isOfOtherIds(capability: Capability): boolean {
  return OF_OTHER_IDS.includes(capability);
}

function common<T>(needed: readonly T[] = [], lacking: readonly T[]): readonly T[] {
  return needed.filter((one) => lacking.includes(one));
}

/** The node agent of the embedded cluster and what it runs pods with. See README.md. */

export { NodeAgent, type NodeAgentOptions } from './agent.ts';
export { whyUnreachable } from './agent-mode.ts';
export { describeCapabilities } from './capabilities.ts';
export { startClusterDns } from './dns/cluster-dns.ts';
export { bringImage, placeOfImage } from './images/bring-image.ts';
export { builtInImages } from './images/built-in.ts';
export { ImageCatalogue } from './images/catalogue.ts';
export { hasShell } from './images/has-shell.ts';
export type { ImageSources, StoredImages } from './images/image-sources.ts';
export { installImages } from './images/install.ts';
export {
  type Isolation,
  type IsolationOutcome,
  isolatedAddresses,
  openIsolation,
} from './isolation.ts';
export { LogStore } from './logs/log-store.ts';
export { NodeLogSource } from './logs/pod-log-source.ts';
export { MachineServer } from './machine/machine-server.ts';
export { type AddressBlock, claimAddressBlock } from './network/address-block.ts';
export { runNft } from './network/nft.ts';
export { notEnforced, policiesMissing, policiesRefused } from './network/policy/availability.ts';
export { PolicyEnforcer } from './network/policy/policy-enforcer.ts';
export { ServiceNetwork } from './network/service-network.ts';
export { NodeFeed } from './node-feed.ts';
export { nodeObject, readMachine } from './node-object.ts';
export { hasOwnerEnded, thisOwner } from './runtime/cluster-owner.ts';
export { layersElsewhere } from './runtime/isolated/probe.ts';
export { sendSignal } from './runtime/orphaned-processes.ts';
export { findTempTools, type TempTools } from './runtime/own-temp.ts';
export { PipePool } from './runtime/pipe-pool.ts';
export { ProcessRuntime } from './runtime/process-runtime.ts';
export { Reaper } from './runtime/reaper.ts';
export type { ContainerRuntime } from './runtime/types.ts';
export { SimulatedAddresses } from './simulated/addresses.ts';
export { Simulation } from './simulated/simulation.ts';
export { connectStreaming } from './streaming/connect.ts';
export { StreamableRuntime } from './streaming/streamable-runtime.ts';
export { readFirstFreePort } from './this-process.ts';
export { requestPodToken } from './token-source.ts';
export { UsageSampler } from './usage/usage-sampler.ts';
export { readUserNamespace, type UserNamespace } from './user-namespace.ts';

/** What a helper uses of its node: capabilities, programs, cgroups, namespaces of targets. See ../helper/README.md. */

export { type ProcessSnapshot, takeSnapshot } from '../helper/process-snapshot.ts';
export {
  type Capability,
  CapabilityError,
  requireCapabilities,
} from './capabilities.ts';
export { type CgroupFolders, cgroupFoldersOf } from './cgroup-folders.ts';
export { checkNode } from './check-node.ts';
export { type CommandOptions, type CommandResult, killGroup, runCommand, startCommand } from './command.ts';
export {
  type EnterOptions,
  enterCapabilities,
  type InsideProcess,
  type Namespace,
  runInside,
  startInside,
} from './enter.ts';
export { runOnHost } from './host.ts';
export { CommandError, NodeError } from './node-error.ts';
export { obstacleTo, ownLacks } from './obstacle.ts';
export { programEnv } from './program-env.ts';
export { findTool, MissingToolError, requireTools, type Tool } from './tools.ts';

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NodeError } from './node-error.ts';

/** Programs that faults use, with the package that has them in Debian and its relatives. */
export const TOOL_PACKAGES = {
  fallocate: 'util-linux',
  ip: 'iproute2',
  iptables: 'iptables',
  ip6tables: 'iptables',
  nft: 'nftables',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  ssh: 'openssh-client',
  'stress-ng': 'stress-ng',
  systemctl: 'systemd',
  tc: 'iproute2',
  unshare: 'util-linux',
} as const;

/** A program that faults use. */
export type Tool = keyof typeof TOOL_PACKAGES;

/** A program is missing. Nothing was touched. */
export class MissingToolError extends NodeError {
  override readonly name = 'MissingToolError';
  readonly missing: readonly string[];

  constructor(message: string, missing: readonly string[]) {
    super(message);
    this.missing = missing;
  }
}

/** Full path of a program in PATH; undefined when it is not there. */
export function findTool(name: string, path: string = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/**
 * Makes sure that programs are there.
 *
 * @throws MissingToolError naming each with its package
 */
export function requireTools(tools: readonly Tool[], path?: string): void {
  const missing = tools.filter((tool) => findTool(tool, path) === undefined);
  if (missing.length === 0) return;
  const list = missing.map((tool) => `${tool} (package ${TOOL_PACKAGES[tool]})`).join(', ');
  throw new MissingToolError(
    `not found in PATH: ${list}; install it in the image of the helper, or on this machine for the embedded cluster`,
    missing,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

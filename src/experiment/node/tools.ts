import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { TOOL_PACKAGES, type Tool } from '../../chaos/machine-lacks.ts';
import { NodeError } from './node-error.ts';

/** A program is missing. Nothing was touched. */
export class MissingToolError extends NodeError {
  override readonly name = 'MissingToolError';
}

/** What to do about programs that a helper lacks. */
export const TOOL_ADVICE =
  'install it in the image of the helper, or on this machine for the embedded cluster';

/** Full path of a program in PATH; undefined when it is not there. */
export function findTool(name: string, path: string = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** `tc (package iproute2), nft (package nftables)`. Pure. */
export function nameTools(tools: readonly Tool[]): string {
  return tools.map((tool) => `${tool} (package ${TOOL_PACKAGES[tool]})`).join(', ');
}

/**
 * Makes sure that programs are there.
 *
 * @param purpose what they are for, as in `cannot <purpose>`
 * @throws MissingToolError naming each with its package
 */
export function requireTools(tools: readonly Tool[], purpose: string, path?: string): void {
  const missing = tools.filter((tool) => findTool(tool, path) === undefined);
  if (missing.length === 0) return;
  throw new MissingToolError(`cannot ${purpose}: not found in PATH: ${nameTools(missing)}; ${TOOL_ADVICE}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

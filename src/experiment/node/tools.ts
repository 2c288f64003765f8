import { findProgram } from '@turnsole/kube/base/machine';
import { TOOL_PACKAGES, type Tool } from '../../chaos/machine-lacks.ts';
import { NodeError } from './node-error.ts';

/** A program is missing. Nothing was touched. */
export class MissingToolError extends NodeError {
  override readonly name = 'MissingToolError';
}

/** What to do about programs that a helper lacks. */
export const TOOL_ADVICE =
  'install it in the image of the helper, or on this machine for the embedded cluster';

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
  const missing = tools.filter((tool) => findProgram(tool, path) === undefined);
  if (missing.length === 0) return;
  throw new MissingToolError(`cannot ${purpose}: not found in PATH: ${nameTools(missing)}; ${TOOL_ADVICE}`);
}

import { MINIMUM_NODE } from '../../bin/common.js';
import { findNode } from '../../bin/find-node.js';

let found: string | undefined;

/**
 * The Node that Turnsole's programs are started with: this process' own, or where that is too old (a program that imports the package may
 * have an older one) the one that the command would hand over to. That may be installed now, once.
 *
 * @throws Error where none can be had
 */
export function ownNode(): string {
  found ??= Number.parseInt(process.versions.node, 10) >= MINIMUM_NODE ? process.execPath : findNode();
  return found;
}

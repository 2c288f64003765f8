import { HelperError } from '../injection/errors.ts';

/** The node, or what a helper may do there, does not allow a fault. Nothing was touched; helpers exit with code 3. */
export class NodeError extends HelperError {
  override readonly name: string = 'NodeError';
}

/** A command that was run on the node ended with an error, or could not be started. */
export class NodeCommandError extends HelperError {
  override readonly name = 'CommandError';
}

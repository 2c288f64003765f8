/** Why a helper could not do its part: a sentence for the message of the node. */
export class HelperError extends Error {
  override readonly name = 'HelperError';
}

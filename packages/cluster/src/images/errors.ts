/** Why an image could not be had. */

/**
 * - `invalid-reference`: not an image name
 * - `not-found`: the registry (or the store, for what is removed) has no such name
 * - `unauthorized`: refused for this name and these credentials, or for none
 * - `no-platform`: there, but not for this platform
 * - `unavailable`: the registry does not answer, answers with a failure of its own, or too slowly; worth another try later
 * - `too-many-requests`: the registry asks for fewer requests; worth another try later
 * - `wrong-content`: what came is not what its digest says, or ends too early
 * - `unsupported`: a form that this store does not know: encrypted layers, other compressions, old manifests
 * - `refused`: a layer that would write outside of its root, or expands to more than the limits
 * - `no-space`: the disk is full
 * - `aborted`: the caller's signal
 * - `store`: the folder cannot be used
 */
export type ImageErrorCode =
  | 'invalid-reference'
  | 'not-found'
  | 'unauthorized'
  | 'no-platform'
  | 'unavailable'
  | 'too-many-requests'
  | 'wrong-content'
  | 'unsupported'
  | 'refused'
  | 'no-space'
  | 'aborted'
  | 'store';

/** Its message names the image, what was found, and where something can be done about it, what. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly code: ImageErrorCode;

  constructor(code: ImageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A pod cannot be made of a template: its node is an error with this message. */
export class PodError extends Error {
  override readonly name = 'PodError';
}

/** Why a container cannot be created; becomes the reason of its waiting state. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  readonly reason: 'CreateContainerConfigError' | 'CreateContainerError';

  constructor(reason: LaunchError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

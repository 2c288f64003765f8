/** Something of another server could not be had. Its message is for the user who named the address: no secret stands in it. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

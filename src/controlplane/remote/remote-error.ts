/** A request to another server failed. Its message is for the user who named the address, and contains no secrets. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

/** A push was rejected, because the branch has changed since it was fetched. */
export class TooLateError extends RemoteError {}

/** Something of another server could not be had. Its message is for the user who named the address: no secret stands in it. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

/** A push that came too late: the branch has moved on since it was fetched. */
export class TooLateError extends RemoteError {}

/** What became of an action. */
export interface Outcome {
  /** Whether what was asked for is so now. */
  readonly isDone: boolean;
  /** What was done, or why not. */
  readonly message: string;
}

export function done(message: string): Outcome {
  return { isDone: true, message };
}

export function refused(message: string): Outcome {
  return { isDone: false, message };
}

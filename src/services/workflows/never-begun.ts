/** The phase that reports give a step that was not begun, in place of the failure that Argo has for it. */
export const NEVER_BEGUN = 'Not begun';

/** Whether the message of a node says that its run was stopped before it began: it has done nothing, and left nothing. Pure. */
export function isNeverBegun(message: string): boolean {
  // With two spaces it was at work.
  return /^workflow shutdown with strategy: \S/.test(message);
}

/** How a command ended, as the error channel carries it: a meta/v1 Status. */
export interface ExecStatus {
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes: readonly { readonly reason?: string; readonly message: string }[] };
  readonly code?: number;
}

/** The command ended with 0, or what was attached to has ended. */
export const SUCCESS: ExecStatus = { metadata: {}, status: 'Success' };

/** The status of an exit code; pure. (kubelet, remotecommand: NonZeroExitCodeReason.) */
export function exitStatus(command: readonly string[], exitCode: number): ExecStatus {
  if (exitCode === 0) return SUCCESS;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: error executing command [${command.join(' ')}], exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

/** The status of a failure to do what was asked for; pure. */
export function failureStatus(message: string): ExecStatus {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
}

/** The last message of the error channel: a Status, or in old versions a text, which is empty on success; pure. */
export function errorText(status: ExecStatus, { hasStatus }: { readonly hasStatus: boolean }): string {
  if (hasStatus) return JSON.stringify(status);
  return status.status === 'Success' ? '' : (status.message ?? '');
}

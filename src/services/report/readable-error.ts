/** Turns upstream's `errorOutput.reason` (JSON in a text) into a sentence. */
export function readableError(code: string | undefined, reason: string): string {
  try {
    const parsed = JSON.parse(reason) as { reason?: string; target?: string; errorCode?: string };
    const target = parsed.target === undefined ? '' : ` (${parsed.target})`;
    return `${parsed.errorCode ?? code ?? 'error'}: ${parsed.reason ?? reason}${target}`;
  } catch {
    return code === undefined || code === '' ? reason : `${code}: ${reason}`;
  }
}

/** What a client asks for with exec and attach. */
export interface StreamOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The query is not valid; the message goes to the client with status 400. */
export class StreamOptionsError extends Error {
  override readonly name = 'StreamOptionsError';
}

/**
 * Reads the streams a client wants; pure. Messages and rules are kubelet's (kubernetes,
 * `staging/src/k8s.io/kubelet/pkg/cri/streaming/remotecommand`, NewOptions).
 *
 * @throws StreamOptionsError when it wants none, or a terminal and standard error apart
 */
export function readStreamOptions(query: URLSearchParams): StreamOptions {
  const tty = isTrue(query.get('tty'));
  const stderr = isTrue(query.get('stderr'));
  const options = {
    stdin: isTrue(query.get('stdin')),
    stdout: isTrue(query.get('stdout')),
    // A terminal has one output: clients that ask for both get that.
    stderr: stderr && !tty,
    tty,
  };
  if (options.stdin || options.stdout || options.stderr) return options;
  throw new StreamOptionsError('you must specify at least 1 of stdin, stdout, stderr');
}

/** Reads booleans of a query as the API does: true for every value except false. Python sends `True`. */
function isTrue(value: string | null): boolean {
  return value !== null && !/^(0|false)$/i.test(value);
}

/** Reads the ports a port-forward over WebSocket names: `ports=80&ports=443` or `ports=80,443`; pure. @throws StreamOptionsError */
export function readPorts(query: URLSearchParams): number[] {
  const words = query.getAll('ports').flatMap((value) => value.split(','));
  if (words.length === 0) throw new StreamOptionsError('query parameter "port" is required');
  return words.map((word) => {
    const port = Number(word);
    if (isPort(port)) return port;
    throw new StreamOptionsError(`invalid port ${JSON.stringify(word)}: must be between 1 and 65535`);
  });
}

/** Whether it is the number of a TCP port. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

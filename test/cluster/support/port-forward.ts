import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A way from this machine to a service. */
export interface PortForward extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
}

/** `kubectl port-forward` to a service's port, by any free port of this machine; ends with the pod that it has chosen. @throws Error with its words */
export async function portForward(
  kubeconfig: string,
  {
    namespace,
    service,
    port,
  }: { readonly namespace: string; readonly service: string; readonly port: number },
): Promise<PortForward> {
  const args = [
    '--kubeconfig',
    kubeconfig,
    '--namespace',
    namespace,
    'port-forward',
    '--address',
    '127.0.0.1',
  ];
  const child = spawn('kubectl', [...args, `service/${service}`, `:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const local = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (local === undefined) continue;
    // Each connection has a line, which nobody reads.
    child.stdout.resume();
    return { url: `http://127.0.0.1:${local}`, [Symbol.asyncDispose]: close };
  }
  throw new Error(`kubectl port-forward: ${said}`);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** `kubectl get … -w` under way. */
export interface KubectlWatch extends AsyncDisposable {
  /**
   * Resolves with all lines so far as soon as one matches.
   *
   * @throws what kubectl complained of when it ended without such a line, or the reason of the signal
   */
  until(pattern: RegExp, signal: AbortSignal): Promise<readonly string[]>;
}

/** Starts `kubectl get ARGS -w` and keeps what it prints. */
export function kubectlWatch(kubeconfig: string, ...args: readonly string[]): KubectlWatch {
  const child = spawn('kubectl', ['--kubeconfig', kubeconfig, 'get', ...args, '-w'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const output = createInterface({ input: child.stdout });
  const lines: string[] = [];
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  output.on('line', (line) => lines.push(line));
  return {
    async until(pattern, signal) {
      while (!lines.some((line) => pattern.test(line))) {
        const next = await Promise.race([once(output, 'line', { signal }), closed.then(() => undefined)]);
        if (next === undefined)
          throw new Error(`kubectl ended without ${pattern}: ${lines.join('\n')}\n${complaints}`);
      }
      return lines;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
    },
  };
}

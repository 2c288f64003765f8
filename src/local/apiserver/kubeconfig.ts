import { renameSync, writeFileSync } from 'node:fs';

export interface KubeconfigContent {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly token: string;
  /** @default 'turnsole' */
  readonly contextName?: string;
}

/**
 * Writes a kubeconfig that only its owner can read (mode 0600), whole or not at all. JSON is YAML, and every
 * kubeconfig reader takes it.
 */
export function writeKubeconfig(path: string, content: KubeconfigContent): void {
  const name = content.contextName ?? 'turnsole';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      {
        name,
        cluster: {
          server: content.server,
          'certificate-authority-data': Buffer.from(content.certificateAuthority).toString('base64'),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token: content.token } }],
  };
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

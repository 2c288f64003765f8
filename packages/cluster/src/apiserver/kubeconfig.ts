import { writePrivately } from './private-file.ts';

interface KubeconfigContent {
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
  writePrivately(path, `${JSON.stringify(config, undefined, 2)}\n`);
}

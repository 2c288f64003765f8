import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ENDPOINTS, type KubeObject, SERVICES, type Service } from '../../../src/api/index.ts';
import type { KubeClient } from '../../../src/kube/client/types.ts';

const run = promisify(execFile);

interface Endpoints extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly ports?: readonly { readonly port: number }[];
  }[];
}

/**
 * Does for one service what kube-proxy does, on a cluster that has none: sends what this machine's API server says to the service's
 * address to a ready pod, and follows when that changes. Ends with `close`, which leaves no rule.
 */
export class ServiceRoute {
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;
  #rule: readonly string[] | undefined;

  constructor(client: KubeClient, namespace: string, name: string) {
    this.#following = this.#follow(client, namespace, name);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.#replace(undefined);
  }

  async #follow(client: KubeClient, namespace: string, name: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const fieldSelector = `metadata.name=${name}`;
        for await (const event of client.watch<Endpoints>(ENDPOINTS, { namespace, fieldSelector, signal })) {
          if (event.type === 'BOOKMARK') continue;
          const service = await client.find<Service>(SERVICES, name, { namespace, signal });
          await this.#replace(event.type === 'DELETED' ? undefined : ruleOf(service, event.object));
        }
      } catch (error) {
        if (!signal.aborted) console.error(`service ${namespace}/${name}: ${String(error)}`);
      }
    }
  }

  async #replace(rule: readonly string[] | undefined): Promise<void> {
    if (rule?.join(' ') === this.#rule?.join(' ')) return;
    // The new one first, so that there is always one.
    if (rule !== undefined) await run('iptables', ['-t', 'nat', '-I', 'OUTPUT', ...rule]);
    if (this.#rule !== undefined) await run('iptables', ['-t', 'nat', '-D', 'OUTPUT', ...this.#rule]);
    this.#rule = rule;
  }
}

/** What iptables is told, for the first ready address; undefined while there is none. Pure. */
function ruleOf(service: Service | undefined, { subsets = [] }: Endpoints): readonly string[] | undefined {
  const address = service?.spec?.clusterIP;
  const port = service?.spec?.ports?.[0]?.port;
  const ready = subsets.find(({ addresses }) => (addresses?.length ?? 0) > 0);
  const [target] = ready?.addresses ?? [];
  const [at] = ready?.ports ?? [];
  if (address === undefined || port === undefined || target === undefined || at === undefined)
    return undefined;
  const match = ['-d', address, '-p', 'tcp', '--dport', String(port)];
  return [...match, '-j', 'DNAT', '--to-destination', `${target.ip}:${at.port}`];
}

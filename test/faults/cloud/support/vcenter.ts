/** vCenter, as far as its REST API describes sessions, power and tags. */
import { sendJson, startTestServer } from '@turnsole/kube/testing/http-server';

/** One vCenter. */
export interface VCenterStandIn extends AsyncDisposable {
  readonly url: string;
  /** Power by the ids of machines. */
  readonly machines: Map<string, string>;
  /** Ids of machines by the names of tags. */
  readonly tags: Map<string, readonly string[]>;
  /** Orders to switch on and off. */
  readonly orders: string[];
  /** Lists of more machines are refused. */
  mostListed: number;
  /** How long an order that was accepted takes to come into effect. */
  orderMs: number;
  /** Ends all sessions. */
  expire(): void;
}

export const LOGIN = { VCENTERUSER: 'chaos@vsphere.local', VCENTERPASS: 'a-secret-that-nobody-reads' };

/** Starts one with these machines, all of them on. */
export async function startVCenter(...ids: readonly string[]): Promise<VCenterStandIn> {
  const basic = `Basic ${Buffer.from(`${LOGIN.VCENTERUSER}:${LOGIN.VCENTERPASS}`).toString('base64')}`;
  const machines = new Map(ids.map((id) => [id, 'POWERED_ON']));
  const tags = new Map<string, readonly string[]>();
  const orders: string[] = [];
  let sessions = new Set<string>();
  let opened = 0;
  const error = (type: string): object => ({
    type: `com.vmware.vapi.std.errors.${type}`,
    value: { messages: [] },
  });
  const server = await startTestServer(({ method, url, headers }, response) => {
    const value = (given: unknown): void => sendJson(response, 200, { value: given });
    const path = decodeURIComponent(url);
    if (path === '/rest/com/vmware/cis/session') {
      if (headers.authorization !== basic) return sendJson(response, 401, error('unauthenticated'));
      const session = `session-${++opened}`;
      sessions.add(session);
      return value(session);
    }
    if (!sessions.has(String(headers['vmware-api-session-id'])))
      return sendJson(response, 401, error('unauthenticated'));
    const [, id = '', action] = /^\/rest\/vcenter\/vm\/([^/]+)\/power(?:\/(\w+))?$/.exec(path) ?? [];
    if (id !== '') {
      const power = machines.get(id);
      if (power === undefined) return sendJson(response, 404, error('not_found'));
      if (method === 'GET') return value({ state: power });
      const wanted = action === 'start' ? 'POWERED_ON' : 'POWERED_OFF';
      if (power === wanted) return sendJson(response, 400, error('already_in_desired_state'));
      const carryOut = (): void => void machines.set(id, wanted);
      if (vcenter.orderMs === 0) carryOut();
      else setTimeout(carryOut, vcenter.orderMs).unref();
      orders.push(`${action} ${id}`);
      return sendJson(response, 200, {});
    }
    if (path.startsWith('/rest/vcenter/vm')) {
      const named = new URL(path, 'http://vcenter').searchParams;
      const ids = [...named].filter(([key]) => key.startsWith('filter.vms.')).map(([, vm]) => vm);
      const running = [...machines].filter(
        ([vm, power]) => power === 'POWERED_ON' && (ids.length === 0 || ids.includes(vm)),
      );
      if (running.length > vcenter.mostListed)
        return sendJson(response, 500, error('unable_to_allocate_resource'));
      return value(running.map(([vm, power_state]) => ({ vm, name: vm, power_state })));
    }
    const names = [...tags.keys()];
    const [, tag] = /id:tag-(\d+)/.exec(path) ?? [];
    if (path.endsWith('/tagging/tag')) return value(names.map((_, index) => `tag-${index}`));
    const name = names[Number(tag)];
    if (name === undefined) return sendJson(response, 404, error('not_found'));
    if (method === 'GET') return value({ id: `tag-${tag}`, name });
    return value((tags.get(name) ?? []).map((vm) => ({ id: vm, type: 'VirtualMachine' })));
  });
  const vcenter: VCenterStandIn = {
    url: server.url,
    mostListed: 4_000,
    orderMs: 0,
    machines,
    tags,
    orders,
    expire: () => {
      sessions = new Set();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return vcenter;
}

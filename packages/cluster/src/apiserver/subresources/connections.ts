import type { Pod } from '@turnsole/kube/kinds/core';
import type { RequestInfo } from '../http/request-info.ts';
import { badRequest, methodNotAllowed, noSuchPath } from '../http/status.ts';
import type { ServerParts } from '../registry/environment.ts';
import { readVersion } from '../registry/read.ts';
import { mustReachNode, type NodeReach } from './node-reach.ts';
import { PROXIED } from './proxy/target.ts';
import type { UpgradeRequest } from './upgrade.ts';
import { chooseTarget, type UpgradeHandler, type UpgradeKind } from './upgrade.ts';

/** A permitted request to change protocol. */
interface ConnectionRequest extends Pick<UpgradeRequest, 'query' | 'user' | 'message' | 'socket' | 'head'> {
  readonly info: RequestInfo;
  readonly nodeReach: NodeReach | undefined;
}

/** Requests that change protocol, handed on to what serves them. */
export class Connections {
  readonly #env: ServerParts;
  readonly #handlers = new Map<string, UpgradeHandler>();

  constructor(env: ServerParts) {
    this.#env = env;
  }

  register(kind: UpgradeKind, handler: UpgradeHandler): void {
    this.#handlers.set(kind, handler);
  }

  /** @throws StatusError which refuses the handshake */
  async open(request: ConnectionRequest): Promise<void> {
    const { info, query, user, message, socket, head } = request;
    if (info.subresource === 'proxy' && info.group === '' && PROXIED.has(info.plural)) {
      const { upgradeProxy } = await import('./proxy/upgrade.ts');
      return upgradeProxy({ env: this.#env, info, message, socket, head });
    }
    const pod = this.#podOf(info, message.method);
    const container = chooseTarget(pod, info.subresource, query);
    mustReachNode(this.#env, request.nodeReach, pod, { kind: 'connect' });
    const handler = this.#handlers.get(info.subresource);
    if (handler === undefined) throw badRequest(`no node agent serves ${info.subresource}`);
    await handler({ pod, user, container, query, message, socket, head });
  }

  /** The pod to connect to. */
  #podOf(info: RequestInfo, method: string | undefined): Pod {
    const pods = this.#env.kinds.find('', 'v1', 'pods');
    if (info.group !== '' || info.plural !== 'pods' || pods === undefined) throw noSuchPath();
    if (!isUpgradeKind(info.subresource) || info.rest.length > 0) throw noSuchPath();
    if (method !== 'GET' && method !== 'POST') throw methodNotAllowed();
    const version = readVersion(this.#env, pods.definition, info.namespace, info.name);
    // Decoded with the type of a Pod when it was written.
    return version.object as unknown as Pod;
  }
}

function isUpgradeKind(subresource: string): subresource is UpgradeKind {
  return subresource === 'exec' || subresource === 'attach' || subresource === 'portforward';
}

import type { Server } from 'node:net';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import type { Resource } from '@turnsole/kube/kinds/resources';
import type { Journal, Store } from '../store/index.ts';
import type { Judge } from './admission/judges.ts';
import type { ApiReply, ApiRequest } from './http/exchange.ts';
import type { UsageSource } from './metrics/usage.ts';
import type { PodLogSource } from './subresources/log.ts';
import type { NodeReach } from './subresources/node-reach.ts';
import type { UpgradeHandler, UpgradeKind } from './subresources/upgrade.ts';

export interface ApiServerOptions {
  /** Keys, certificates and kubeconfig live here. Must exist; is made private (0700). */
  readonly dataDir: string;
  /** Folder of the Unix socket, whose path must not be longer than some 100 characters. @default dataDir */
  readonly runDir?: string;
  /** @default 0 = any free one */
  readonly port?: number;
  /** As of `listen`, for clients in another network than this process. @default there are none */
  readonly listenElsewhere?: ((port: number) => Promise<Server>) | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly journal?: Journal;
  /** Block of cluster addresses of services. @default '10.96.0.0/16' */
  readonly serviceCidr?: string;
  /** Watches at a time. @default 10_000 */
  readonly maxWatches?: number;
  /** Changes kept per kind for watches that resume. @default 10_000 */
  readonly historyLimit?: number;
  /** Bytes that may wait for one reader of a watch before it has to catch up. @default 1 MiB */
  readonly watchBufferBytes?: number;
}

/** A Kubernetes-compatible API server. It answers in process at once; `listen` opens its sockets. */
export interface ApiServer {
  readonly store: Store;
  /** Answers one request without a network. */
  handle(request: ApiRequest): Promise<ApiReply>;
  /** Opens the sockets and writes the kubeconfig; on another port than that of the options if one is given. */
  listen(port?: number): Promise<void>;
  /** `https://127.0.0.1:<port>`; known after `listen`. */
  readonly server: string;
  readonly kubeconfigPath: string;
  /** Administrator's way in over the Unix socket. */
  readonly adminConfig: ClusterConfig;
  readonly adminToken: string;
  /** Connects the node agent's logs to `pods/log`. */
  setPodLogSource(source: PodLogSource): void;
  /** Says which nodes do not answer; without it all do. */
  setNodeReach(reach: NodeReach): void;
  /** Serves metrics.k8s.io with the figures of the node agents; before this call the group does not exist. */
  serveMetrics(source: UsageSource): void;
  /** Says that a part of the control plane works beside the server, for `kubectl get componentstatuses`. */
  addComponent(name: string): void;
  /** Clients that write objects of a kind get this warning beside the answer. */
  warnWriters(resource: Pick<Resource, 'group' | 'plural'>, text: string): void;
  /** Has creations and changes of a kind judged by rules that are not this server's own. */
  judgeWrites(resource: Pick<Resource, 'group' | 'plural'>, judge: Judge): void;
  /** Connects the node agent to `pods/exec`, `pods/attach` or `pods/portforward`. */
  registerUpgrade(kind: UpgradeKind, handler: UpgradeHandler): void;
  /** Ends watches and connections. Idempotent. */
  close(): Promise<void>;
}

import type { Generated } from 'kysely';
import type { Authored, Flag, JsonText, PackedText, Time } from './columns.ts';

/** An infrastructure: a cluster, or a namespace of one, with an agent in it. */
export interface InfraRow extends Authored {
  readonly id: string;
  readonly project_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  readonly platform_name: string;
  readonly scope: 'namespace' | 'cluster';
  readonly namespace: string;
  readonly service_account: string;
  readonly namespace_exists: Flag;
  readonly service_account_exists: Flag;
  readonly skip_ssl: Flag;
  /** `key=value,…`, as registered. */
  readonly node_selector: string;
  /** Kubernetes tolerations. */
  readonly tolerations: JsonText;
  /** Which components its manifest installs. */
  readonly flavour: 'turnsole' | 'litmus';
  /** The agent's key, sealed, since manifests contain it again. */
  readonly sealed_access_key: string;
  /** SHA-256 of it, for comparison with an agent's key. */
  readonly access_key_hash: string;
  /** The previous key: an agent that lost the answer to its confirmation sends it again. */
  readonly former_key_hash: string | null;
  /** When a member replaced the key last; null: never. */
  readonly key_rotated_at: Time | null;
  readonly registered: Flag;
  readonly confirmed: Flag;
  /** 1 while an agent is connected to any replica. */
  readonly active: Flag;
  /** The connection that made it active: a late end of an older one changes nothing. */
  readonly connection_id: string | null;
  /** Time of the last heartbeat from the connection's replica. */
  readonly seen_at: Time | null;
  /** Until when further connections are refused, so that two agents with one key do not displace one another for ever. */
  readonly contested_until: Time | null;
  /** Version of the agent; empty before its first connection. */
  readonly version: string;
  /** `string[]`: types of requests beyond ChaosCenter's that the agent declared at its last connection. Null: never connected. */
  readonly answers: JsonText | null;
  /** The source of the metrics of its runs, in the form of the API. Null: no Prometheus is set. */
  readonly metrics: JsonText | null;
  readonly start_time: Time;
  readonly removed: Flag;
}

/** An action for an agent; kept until the agent has received it, or has reported its outcome if it can. */
export interface ActionRow {
  /** Order of sending. */
  readonly seq: Generated<number>;
  readonly infra_id: string;
  readonly request_id: string;
  readonly request_type: string;
  readonly manifest: PackedText;
  readonly namespace: string;
  readonly external_data: string | null;
  readonly username: string;
  readonly created_at: Time;
  /** When a request with a waiting client expires; null: kept until it is done. */
  readonly expires_at: Time | null;
  readonly sent_at: Time | null;
  readonly done_at: Time | null;
  /** The agent's report about it; null until there is one. */
  readonly outcome: string | null;
}

/** An agent's reply to a request with a waiting client (logs, objects, namespaces); short-lived. */
export interface ReplyRow {
  readonly seq: Generated<number>;
  readonly request_id: string;
  readonly body: PackedText;
  readonly at: Time;
}

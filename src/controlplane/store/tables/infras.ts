import type { Generated } from 'kysely';
import type { Flag, JsonText, PackedText, Time } from './columns.ts';

/** An infrastructure: a cluster, or a namespace of one, with an agent in it. */
export interface InfraRow {
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
  /** What the agent identifies itself by, sealed: the manifest has to show it again. */
  readonly sealed_access_key: string;
  /** SHA-256 of it, which is what an agent's key is compared with. */
  readonly access_key_hash: string;
  /** The key before the last exchange: an agent that lost the answer to its confirmation comes with it once more. */
  readonly former_key_hash: string | null;
  readonly registered: Flag;
  readonly confirmed: Flag;
  /** 1 while an agent is connected to any replica. */
  readonly active: Flag;
  /** Which connection made it active: a late end of an older one changes nothing. */
  readonly connection_id: string | null;
  /** When the replica that serves the connection last said so. */
  readonly seen_at: Time | null;
  /** Until when a further connection does not take over: two agents with one key would displace one another for ever. */
  readonly contested_until: Time | null;
  /** Of the agent; empty before its first word. */
  readonly version: string;
  /** `string[]`: types of requests beyond ChaosCenter's that the agent answers, as it said when it last connected. Null: it never has. */
  readonly answers: JsonText | null;
  /** Where the metrics of its runs come from, as the API has it. Null: no Prometheus is set. */
  readonly metrics: JsonText | null;
  readonly start_time: Time;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
  readonly removed: Flag;
}

/** Something that an agent is to do; kept until the agent has it, or has said that it is done where it can say so. */
export interface ActionRow {
  /** Order in which they are sent. */
  readonly seq: Generated<number>;
  readonly infra_id: string;
  readonly request_id: string;
  readonly request_type: string;
  readonly manifest: PackedText;
  readonly namespace: string;
  readonly external_data: string | null;
  readonly username: string;
  readonly created_at: Time;
  /** A request that somebody waits for is worth nothing afterwards; null: kept until it is done. */
  readonly expires_at: Time | null;
  readonly sent_at: Time | null;
  readonly done_at: Time | null;
  /** What the agent said of it; null while it has said nothing. */
  readonly outcome: string | null;
}

/** What an agent has answered to a request that somebody waits for (logs, objects, namespaces); short-lived. */
export interface ReplyRow {
  readonly seq: Generated<number>;
  readonly request_id: string;
  readonly body: PackedText;
  readonly at: Time;
}

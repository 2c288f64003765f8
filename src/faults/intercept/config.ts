import type { DnsRule, Resolvers } from '../dns/resolver/decide-answer.ts';
import type { HttpFault } from '../http/proxy/http-fault.ts';
import type { TcpDelay } from '../http/proxy/relay.ts';
import type { OpenConnections, Redirect } from './rules.ts';

/** The action of an interceptor on redirected traffic; JSON. */
export type Service =
  | { readonly kind: 'http'; readonly port: number; readonly fault: HttpFault; readonly toxicity: number }
  /** At ports of its own, one for each that is redirected. */
  | { readonly kind: 'tcp'; readonly delay: TcpDelay }
  | { readonly kind: 'dns'; readonly rule: DnsRule; readonly resolvers: Resolvers };

/** What an injection of these faults says; JSON. */
export interface InterceptParameters {
  readonly redirect: Redirect;
  readonly service: Service;
  /** Connections that are open when it begins. */
  readonly open: OpenConnections;
}

/** What an interceptor reads on its standard input, in one line. */
export interface InterceptorConfig {
  readonly table: string;
  readonly redirect: Redirect;
  readonly service: Service;
  readonly open: OpenConnections;
  /** Where the one before it listened. The kernel goes on sending there what it has redirected once. */
  readonly formerPort?: number;
}

/** What an interceptor says on its standard output, one a line. */
export type InterceptorMessage =
  /**
   * @property ports where it listens, one for each that is redirected
   * @property former connections to these ports that were open before
   */
  | { readonly kind: 'ready'; readonly ports: readonly number[]; readonly former: number }
  | { readonly kind: 'warning'; readonly message: string }
  /** Its rules had expired: it redirected nothing in this time, in milliseconds since 1970. */
  | { readonly kind: 'lapsed'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'counted'; readonly count: InterceptCount }
  /** @property isPlain the message says all that a user has to know */
  | { readonly kind: 'failed'; readonly message: string; readonly isPlain: boolean };

/** Counts of an interceptor so far. */
export interface InterceptCount {
  /** Connections; of DNS questions. */
  readonly arrived: number;
  /** Requests of HTTP/1. */
  readonly requests: number;
  /** How many of them the fault hit. */
  readonly hits: number;
  /** Packets of connections from before, which were rejected so that their clients open new ones. */
  readonly rejected: number;
  /** How often what is sent on connections from before was held back. */
  readonly held: number;
  /** Some of the names that were asked for and were none of those that are hit. */
  readonly others: readonly string[];
}

/** Line on the standard input of an interceptor after its configuration: it answers with what it has counted. */
export const COUNT_LINE = 'count';

/** Exit code when another process removed the rules: a revert. */
export const REVERTED_EXIT_CODE = 4;

import type { Pace } from './schedule.ts';

/** One of the requests that a load sends. */
export interface LoadTarget {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** How often it is sent, compared with the others; a whole number from 1. */
  readonly weight: number;
  /** Whether an answer with this status is the expected one. */
  readonly accepts: (status: number) => boolean;
}

/** Whose answers an HTTPS client accepts, and what it shows of itself; in PEM. */
export interface LoadTls {
  readonly verifyTls: boolean;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A load, ready to be sent. */
export interface LoadPlan extends Pace {
  /** At least one. */
  readonly targets: readonly LoadTarget[];
  /** Limit of one request, from its beginning to the end of the answer's body. */
  readonly timeoutMs: number;
  /** Connections that stay open and that requests share; 0: each request has a connection of its own. */
  readonly connections: number;
  /** Requests under way at a time, at most. */
  readonly concurrency: number;
  readonly tls: LoadTls;
}

/** A due request that was sent, with what came of it. */
export interface SentRequest {
  readonly outcome: 'answered' | 'failed';
  /** When it was sent, in milliseconds since 1970. */
  readonly atMs: number;
  /** From then to the end of the answer, or to the failure. */
  readonly tookMs: number;
  /** For this much of that time the load's own process could not work, so that the answer may have been there earlier. */
  readonly lagMs: number;
  /** Place in the list of requests. */
  readonly target: number;
  /** Of a failure: `ECONNREFUSED`, `no answer in 2 s`, `status 503`. */
  readonly reason?: string;
  /** Of a failure, for people: method, URL, and what was found. */
  readonly detail?: string;
  /** Of a failure: the request itself cannot work, such as one with a certificate that is not accepted. */
  readonly cannotWork?: boolean;
}

/** Why a due request was not sent: the load's own process was late, or as many as allowed were under way. */
type UnsentReason = 'late' | 'busy';

/** Due requests that were not sent. */
export interface UnsentRequests {
  readonly outcome: 'unsent';
  /** When the last of them was due, in milliseconds since 1970. */
  readonly atMs: number;
  readonly count: number;
  readonly why: UnsentReason;
  /** By how much the process was late for the first of them. */
  readonly lateMs: number;
}

/** What came of due requests. */
export type LoadRecord = SentRequest | UnsentRequests;

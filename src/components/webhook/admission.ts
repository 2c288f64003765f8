import type { KubeObject } from '@turnsole/kube/kinds/core';

/** What the API server asks, as far as it matters here (admission.k8s.io/v1). */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace?: string;
  readonly userInfo: UserInfo;
  readonly object?: AdmittedObject | null;
  readonly oldObject?: AdmittedObject | null;
}

/** The user who makes the request. */
interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Any object that is written. */
export interface AdmittedObject extends KubeObject {
  readonly spec?: unknown;
}

/** The answer. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  /** What kubectl prints beside its answer. */
  readonly warnings?: readonly string[];
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
}

/** A refusal, in the words that the user reads. */
export function refused(uid: string, code: 403 | 422, message: string): AdmissionResponse {
  const reason = code === 403 ? 'Forbidden' : 'Invalid';
  return { uid, allowed: false, status: { code, reason, message } };
}

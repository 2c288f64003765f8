import type { ClusterConfig } from '../types.ts';

/** The same cluster, reached with this token instead of whatever credentials there were. Pure. */
export function withToken(config: ClusterConfig, token: string): ClusterConfig {
  const {
    clientCertificate: _certificate,
    clientKey: _key,
    clientIdentity: _identity,
    refreshCredentials: _refresh,
    impersonate: _impersonate,
    ...place
  } = config;
  return { ...place, token: () => token };
}

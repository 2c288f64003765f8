import type { AgentKey } from '../access-key.ts';
import type { OwnRequest } from './own-requests.ts';

/** Takes the key that the server has put in the place of this agent's. The answer goes out with the new key: by it the server knows. */
export function newKeyRequest(key: Pick<AgentKey, 'adopt'>): OwnRequest {
  return async ({ accessKey }, signal) => {
    if (typeof accessKey !== 'string' || accessKey === '') throw new Error('accessKey is no text, or empty');
    await key.adopt(accessKey, signal);
    return {};
  };
}

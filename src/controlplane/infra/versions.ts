import { versionMismatch } from '../access/agent-identity.ts';
import type { ServerSettings } from '../access/server-settings.ts';
import type { InfraVersionDetails, UpdateStatus } from '../schema/generated/types.ts';

/** Negative if `a` is older, 0 if both are the same, positive if it is newer. A version with a dash precedes its release. Pure. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let place = 0; place < Math.max(left.numbers.length, right.numbers.length); place++) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.rest === right.rest) return 0;
  if (left.rest === '' || right.rest === '') return left.rest === '' ? 1 : -1;
  return left.rest < right.rest ? -1 : 1;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly rest: string } {
  const [release = '', ...rest] = version.split('-');
  const numbers = release.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return { numbers, rest: rest.join('-') };
}

/** Whether an agent of this version should be replaced. An agent that has not connected yet has the manifest's version. Pure. */
export function updateStatus(agent: string, server: string): UpdateStatus {
  if (agent === '') return 'NOT_REQUIRED';
  if (versionMismatch(server, agent) !== undefined) return 'MANDATORY';
  return compareVersions(agent, server) < 0 ? 'AVAILABLE' : 'NOT_REQUIRED';
}

/** The versions of agents that work with this server. Pure. */
export function versionDetails({
  version,
  compatibleVersions,
}: Pick<ServerSettings, 'version' | 'compatibleVersions'>): InfraVersionDetails {
  const all = [...new Set([...compatibleVersions, version])].sort(compareVersions);
  return { latestVersion: all.at(-1) ?? version, compatibleVersions: all };
}

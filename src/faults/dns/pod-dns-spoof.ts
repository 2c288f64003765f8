import { isIP } from 'node:net';
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import { DNS_CAPABILITIES, DNS_TUNABLES, interceptDns, withResolvers } from './dns-tunables.ts';

/** Gives a pod other addresses for names: those of other names, or addresses. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-dns-spoof',
  summary: 'Gives pods the addresses of other names for host names.',
  tunables: {
    ...DNS_TUNABLES,
    SPOOF_MAP: {
      type: 'map',
      default: {},
      description: 'Name → name or address, as JSON: {"db.example":"other.example","cache":"10.0.0.9"}.',
    },
  },
  validate: ({ SPOOF_MAP }) => problems(SPOOF_MAP),
  intercept: ({ SPOOF_MAP }) => interceptDns({ kind: 'spoof', names: SPOOF_MAP }),
  complete: withResolvers,
  capabilities: DNS_CAPABILITIES,
});

function problems(map: Readonly<Record<string, string>>): TunableProblem[] {
  return Object.entries(map)
    .filter(([name, value]) => !isName(name) || !(isName(value) || isIP(value) !== 0))
    .map(([name, value]) => ({
      variable: 'SPOOF_MAP',
      found: `${name} → ${value}`,
      expected: 'names that stand for names or addresses',
    }));
}

function isName(text: string): boolean {
  return /^[A-Za-z0-9_]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_]([A-Za-z0-9_-]*))*\.?$/.test(text);
}

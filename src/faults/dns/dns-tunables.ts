import { readFile } from 'node:fs/promises';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import type { InterceptParameters } from '../intercept/config.ts';
import { type DnsRule, INTERCEPTOR_GROUP, parseResolvers } from './resolver/decide-answer.ts';

/** Where name servers listen. */
const DNS_PORT = 53;

/** Settings that all DNS faults have. */
export const DNS_TUNABLES = {
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long names are hit.'),
} as const satisfies TunableSchema;

/** Its resolver asks under a group of its own, which distinguishes its questions from those of the pod. */
export const DNS_CAPABILITIES = ['SETGID'] as const;

/** What a DNS fault redirects to what. Pure; the pod's resolvers are added on its node. */
export function interceptDns(rule: DnsRule): InterceptParameters {
  return {
    redirect: { kind: 'outbound', ports: [DNS_PORT], exceptGroup: INTERCEPTOR_GROUP },
    open: { kind: 'keep' },
    service: { kind: 'dns', rule, resolvers: { nameservers: [], search: [], ndots: 1 } },
  };
}

/** Adds what the container's resolv.conf says: questions that are not hit are passed on there. */
export async function withResolvers(
  parameters: InterceptParameters,
  pid: number,
): Promise<InterceptParameters> {
  const { service } = parameters;
  if (service.kind !== 'dns') return parameters;
  const text = await readFile(`/proc/${pid}/root/etc/resolv.conf`, 'utf8').catch(() => '');
  return { ...parameters, service: { ...service, resolvers: parseResolvers(text) } };
}

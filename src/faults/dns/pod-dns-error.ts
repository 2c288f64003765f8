import { parseJson } from '@turnsole/kube/text/json';
import { choice, text } from '../../experiment/injection/settings/declare.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import { DNS_CAPABILITIES, DNS_TUNABLES, interceptDns, withResolvers } from './dns-tunables.ts';

/** Lets names not be found by a pod: NXDOMAIN over UDP and TCP, for all types of records. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-dns-error',
  summary: 'Lets host names not be found by pods.',
  tunables: {
    ...DNS_TUNABLES,
    TARGET_HOSTNAMES: text(
      'Names that are not found, as a JSON list or separated by commas; empty: all names.',
    ),
    MATCH_SCHEME: choice(
      { choices: ['exact', 'substring'], default: 'exact' },
      'Whether a name has to be one of them, with or without a search domain, or to contain one.',
    ),
  },
  validate: ({ TARGET_HOSTNAMES }) =>
    namesOf(TARGET_HOSTNAMES) === undefined ? [problem(TARGET_HOSTNAMES)] : [],
  intercept: ({ TARGET_HOSTNAMES, MATCH_SCHEME }) =>
    interceptDns({
      kind: 'error',
      names: namesOf(TARGET_HOSTNAMES) ?? [],
      scheme: MATCH_SCHEME === 'substring' ? 'substring' : 'exact',
    }),
  complete: withResolvers,
  capabilities: DNS_CAPABILITIES,
});

function problem(found: string) {
  return {
    variable: 'TARGET_HOSTNAMES',
    found,
    expected: 'a JSON list of names, such as ["db.example","cache"]',
  };
}

const NAME = /^[^\s,"'[\]{}]+$/;

/** Names of a JSON list or separated by commas; undefined when they cannot be read. Pure. */
function namesOf(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  const names: unknown = trimmed.startsWith('[') ? parseJson(trimmed) : trimmed.split(',');
  if (!Array.isArray(names)) return undefined;
  const list: unknown[] = names;
  const texts = list.filter((name) => typeof name === 'string').map((name) => name.trim());
  if (texts.length !== list.length) return undefined;
  const given = texts.filter((name) => name !== '');
  return given.every((name) => NAME.test(name)) ? given : undefined;
}

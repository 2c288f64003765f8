/** What chaos has in force in applications and machines that are asked for it: by their Chaos Monkeys and controllers. */
import type { Pod } from '@turnsole/kube/kinds/core';
import { basicAuthorization } from '../../../src/faults/bare-metal/redfish.ts';
import { type Answer, ask } from '../../../src/faults/remote/ask.ts';
import { type Effect, effectIn } from './effect.ts';
import { APP_PORT, BMC_LOGIN, BMC_PORT } from './families.ts';

/** A pod that does not answer for so long has restarted, and forgotten what it was told. */
const LIMIT_MS = 1_000;

/** What the Chaos Monkeys of these pods do. */
export async function ofMonkeys(pods: readonly Pod[]): Promise<Effect[]> {
  const found = await Promise.all(
    pods.map(async (pod) => {
      const answer = await question(`http://${pod.status?.podIP}:${APP_PORT}/actuator/chaosmonkey`);
      return assaultsOf(answer?.text ?? '{}').map((what) => effectIn(pod, `chaos monkey ${what}`));
    }),
  );
  return found.flat();
}

/** A Chaos Monkey's answer, as far as anything in it is chaos. */
interface Monkey {
  readonly chaosMonkeyProperties?: { readonly enabled?: boolean };
  readonly assaultProperties?: Readonly<Record<string, unknown>>;
  readonly watcherProperties?: Readonly<Record<string, unknown>>;
}

/** What is switched on, and the level where it is not the stand-in's own. Pure. */
export function assaultsOf(text: string): string[] {
  // The stand-in's own answer.
  const { chaosMonkeyProperties, assaultProperties = {}, watcherProperties } = JSON.parse(text) as Monkey;
  const { level = 5, ...switches } = assaultProperties;
  return [
    ...(chaosMonkeyProperties?.enabled === true ? ['is enabled'] : []),
    ...Object.entries(switches).flatMap(([name, value]) =>
      value === true && name !== 'deterministic' ? [name] : [],
    ),
    ...(watcherProperties?.restController === true ? ['watches controllers'] : []),
    ...(level === 5 ? [] : [`has level ${String(level)}`]),
  ];
}

/** Machines that are off. @param pods of their controllers, which begin with the names of applications */
export async function ofMachines(pods: readonly Pod[]): Promise<Effect[]> {
  const authorization = basicAuthorization(BMC_LOGIN.USER, BMC_LOGIN.PASSWORD);
  const found = await Promise.all(
    pods.map(async ({ metadata, status }) => {
      const url = `https://${status?.podIP}:${BMC_PORT}/redfish/v1/Systems/System.Embedded.1`;
      const answer = await question(url, { authorization });
      if (answer === undefined || answer.text.includes('"On"')) return [];
      const of = metadata.name.replace(/-bmc-\d+$/, '');
      return [{ what: `machine of ${metadata.name}: ${answer.text}`, of, node: undefined }];
    }),
  );
  return found.flat();
}

async function question(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  const { signal } = new AbortController();
  const answer = await ask({ url, headers, verifyTls: false, timeoutMs: LIMIT_MS, signal }).catch(
    () => undefined,
  );
  return answer?.status === 200 ? answer : undefined;
}

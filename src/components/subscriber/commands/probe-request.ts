import type { Clock } from '@turnsole/kube/base/clock';
import { Limiter } from '@turnsole/kube/base/limiter';
import type { KubeClient } from '@turnsole/kube/client/types';
import { PROBE_DESCRIPTORS } from '../../../api/probe-types/index.ts';
import type { AddressOf } from '../../../experiment/probes/reachable.ts';
import type { OwnRequest } from './own-requests.ts';

/** What trying probes needs. */
interface ProbeContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The types in ALLOWED_PROBES; `*` is every one. */
  readonly allowed: ReadonlySet<string>;
  /** Why objects of a namespace are not looked at; undefined where they are. */
  readonly refusalOf: (namespace: string) => string | undefined;
  /** Of an agent outside of its cluster. */
  readonly addressOf?: AddressOf | undefined;
}

const AT_A_TIME = 4;
const MOST_WAITING = 8;
const BUSY = 'the agent tries other probes already; try again in a moment';

/** Measures once what `{"probe": entry of spec.experiments[].spec.probe}` asks for, from the pod of this agent. */
export function probeRequest({ client, clock, allowed, refusalOf, addressOf }: ProbeContext): OwnRequest {
  const limiter = new Limiter(AT_A_TIME, { most: MOST_WAITING, refusal: () => new Error(BUSY) });
  const types = new Set(
    PROBE_DESCRIPTORS.filter(({ trial }) => trial !== 'never')
      .map(({ name }) => name)
      .filter((name) => allowed.has('*') || allowed.has(name)),
  );
  const advice = `ALLOWED_PROBES of the agent names ${[...types].join(', ') || 'none'}`;
  return ({ probe }, signal) =>
    limiter.run(async () => {
      const { tryProbe } = await import('../../../experiment/probes/try-probe.ts');
      return tryProbe(probe, { client, clock, signal, types, advice, refusalOf, addressOf });
    });
}

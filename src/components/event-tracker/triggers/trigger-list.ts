import { metaTime, parseTime } from '@turnsole/kube/text/time';
import type {
  EventTrackerPolicy,
  EventTrackerPolicyStatus,
  PolicyTrigger,
  TriggerState,
} from '../../../api/index.ts';
import type { UpstreamStatus } from '../../../api/schema/event-tracker-policy.ts';
import { triggerId } from './trigger-id.ts';

/** So many triggers that are over are kept for people. */
const MAX_ENDED = 20;
const PASSED = 'ConditionPassed';

/** Whether a trigger still has to be handed over. */
export function isPending({ state }: Pick<PolicyTrigger, 'state'>): boolean {
  return state === 'Pending';
}

/** The list without the oldest of those that are over. Pure. */
export function withoutOldTriggers(triggers: readonly PolicyTrigger[]): PolicyTrigger[] {
  let surplus = triggers.filter((one) => !isPending(one)).length - MAX_ENDED;
  return triggers.filter((one) => isPending(one) || surplus-- <= 0);
}

/** What became of a trigger. */
export interface TriggerEnd {
  readonly state: TriggerState;
  readonly message: string;
}

/** The status with what became of a trigger; the same one where nothing is new. Pure. */
export function withEnd(
  status: EventTrackerPolicyStatus,
  id: string,
  { state, message }: TriggerEnd,
  nowMs: number,
): EventTrackerPolicyStatus {
  const triggers = status.triggers ?? [];
  const trigger = triggers.find((one) => one.id === id);
  if (trigger === undefined || !isPending(trigger)) return status;
  if (state === 'Pending' && trigger.message === message) return status;
  const ended = state === 'Pending' ? {} : { endTime: metaTime(nowMs) };
  const changed = { ...trigger, state, message, ...ended };
  return { ...status, triggers: withoutOldTriggers(triggers.map((one) => (one.id === id ? changed : one))) };
}

/** The triggers in the form of upstream's `statuses`, the last ones. Pure. */
export function mirrorOf(triggers: readonly PolicyTrigger[]): UpstreamStatus[] {
  return triggers.slice(-MAX_ENDED).map((trigger) => ({
    time_stamp: rfc850(parseTime(trigger.time) ?? 0),
    resource: trigger.resource,
    resource_name: trigger.name,
    result: PASSED,
    ...(trigger.experimentID === undefined ? {} : { experiment_id: trigger.experimentID }),
    is_triggered: isPending(trigger) ? 'false' : 'true',
  }));
}

/**
 * The status that a policy begins with: what upstream's tracker has left to be sent is taken over. Without the time of an entry its
 * place stands for it. Pure.
 */
export function firstStatus(
  { metadata, statuses }: EventTrackerPolicy,
  nowMs: number,
): EventTrackerPolicyStatus {
  const left = (statuses ?? []).filter(
    ({ result, is_triggered, experiment_id }) =>
      result === PASSED && is_triggered === 'false' && (experiment_id ?? '') !== '',
  );
  if (left.length === 0) return {};
  const triggers = left.map(
    ({ time_stamp = '', resource = '', resource_name = '', experiment_id = '' }, index): PolicyTrigger => ({
      id: triggerId(`${metadata.uid}/${index}/${time_stamp}/${resource}/${resource_name}/${experiment_id}`),
      time: metaTime(parseTime(time_stamp) ?? nowMs),
      ...{ resource, namespace: '', name: resource_name, experimentID: experiment_id },
      reason: 'left by another tracker',
      state: 'Pending',
    }),
  );
  return { count: triggers.length, triggers };
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `Monday, 02-Jan-06 15:04:05 UTC`, as Go writes it. */
function rfc850(milliseconds: number): string {
  const time = new Date(milliseconds);
  // `Mon, 02 Jan 2006 15:04:05 GMT`
  const [, day = '', month = '', year = '', clock = ''] = time.toUTCString().split(' ');
  return `${DAYS[time.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${clock} UTC`;
}

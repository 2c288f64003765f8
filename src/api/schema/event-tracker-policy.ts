/** EventTrackerPolicy: which changes of workloads start chaos. */
import Type from 'typebox';
import type { ObjectMeta } from '../core.ts';
import { choice, fields, list, listOf, objectMap, optional, text, textMap, whole, word } from './build.ts';
import { conditionsSchema } from './parts.ts';
import {
  CONDITION_TYPES,
  POLICY_OPERATORS,
  POLICY_SEMANTICS,
  ROLLOUT_MODES,
  STARTED_KINDS,
  type TriggerState,
} from './vocabulary.ts';

/** A policy's last state of a workload, with which the next state is compared. */
export interface TrackedWorkload {
  /** Uid of the workload: a new object of the same name has another one. */
  readonly uid: string;
  /** Digest of the conditions that the values belong to. */
  readonly conditions: string;
  /** Digest of the value of each condition's key, in their order. */
  readonly values: readonly string[];
  /** Generation of the workload whose rollout has triggered and is not over. */
  readonly rollout?: number;
  /** When it triggered last, RFC 3339; kept where the policy has a cool-down. */
  readonly triggered?: string;
}

/** A change that starts chaos. */
export interface PolicyTrigger {
  /** By it a receiver recognises a repeated trigger. */
  readonly id: string;
  /** When it was stored, RFC 3339. */
  readonly time: string;
  /** Kind of the workload. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The control plane's experiment; absent where the policy starts something in the cluster. */
  readonly experimentID?: string;
  /** The conditions that passed. */
  readonly reason: string;
  /** Open text where others write it; ours is a {@link TriggerState}. */
  readonly state: string;
  /** When it was handed over, RFC 3339. */
  readonly endTime?: string;
  /** What became of it, or why it waits. */
  readonly message?: string;
}

const policyConditionSchema = fields('A condition on a value of the workload.', {
  key: text('JMESPath expression over the whole object.', { minLength: 1 }),
  operator: choice('How the value is judged.', POLICY_OPERATORS),
  value: optional(text('What it is compared with; not used by Change. Numbers need quotes in YAML.')),
});

const startSchema = fields('What is started in the namespace of the policy, instead of a control plane.', {
  kind: choice('WorkflowTemplate, or ChaosEngine or ChaosSchedule, which are copied.', STARTED_KINDS),
  name: text('Name of the template.', { minLength: 1 }),
  parameters: optional(textMap('Arguments of the workflow, with a WorkflowTemplate only.')),
});

const eventTrackerPolicySpecSchema = fields('Which changes start chaos.', {
  condition_type: choice('How the conditions are joined.', CONDITION_TYPES),
  conditions: list('Conditions on values of the workload.', policyConditionSchema, { minItems: 1 }),
  semantics: optional(
    choice(
      'What `and` means. whole (default): all conditions hold, and a value has changed; upstream: conditions whose value has not changed do not count.',
      POLICY_SEMANTICS,
    ),
  ),
  rollout: optional(
    choice(
      'How often one rollout may trigger. once (default): at its first change that passes; each: at each of them; settled: when it is over, before and after compared.',
      ROLLOUT_MODES,
    ),
  ),
  cooldownSeconds: optional(
    whole(
      'For so long after a trigger further changes of the same workload are taken as seen and do not trigger: longer than the chaos that is started, where that changes the workload itself.',
      { format: 'int64', minimum: 1 },
    ),
  ),
  start: optional(startSchema),
});

const eventTrackerPolicyStatusSchema = fields('What the tracker knows and has to send.', {
  conditions: optional(conditionsSchema),
  count: optional(whole('Triggers so far.', { format: 'int64' })),
  triggers: optional(
    listOf<PolicyTrigger>('What waits to be handed over, and the last of what has been.', {
      id: text('By which a receiver knows it when it comes a second time.'),
      state: word<TriggerState>('Pending, Sent, Started or Refused.'),
    }),
  ),
  tracked: optional(
    objectMap<TrackedWorkload>(
      'State of each workload that the next one is compared with, by Kind/namespace/name.',
    ),
  ),
});

/** An entry as upstream's tracker writes it; ours mirrors its triggers there, for those who read them. */
export interface UpstreamStatus {
  readonly time_stamp?: string;
  readonly resource?: string;
  readonly resource_name?: string;
  readonly result?: string;
  readonly experiment_id?: string;
  readonly is_triggered?: string;
}

/** The whole object. */
export const eventTrackerPolicySchema = Type.Object(
  {
    apiVersion: optional(text('Version of the schema of this object.')),
    kind: optional(text('Kind of this object.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: eventTrackerPolicySpecSchema,
    statuses: optional(
      listOf<UpstreamStatus>('The last triggers in the form of LitmusChaos; status.triggers says more.', {
        time_stamp: text('When, RFC 850.'),
        resource: text('Kind of the workload.'),
        resource_name: text('Name of the workload.'),
        result: text('ConditionPassed.'),
        experiment_id: text("The control plane's experiment."),
        is_triggered: text('"false": waits to be sent; "true": sent.'),
      }),
    ),
    status: optional(eventTrackerPolicyStatusSchema),
  },
  { description: 'Starts chaos when workloads change.' },
);

/** Starts chaos when workloads change. */
export type EventTrackerPolicy = Type.Static<typeof eventTrackerPolicySchema>;
export type EventTrackerPolicySpec = Type.Static<typeof eventTrackerPolicySpecSchema>;
export type EventTrackerPolicyStatus = Type.Static<typeof eventTrackerPolicyStatusSchema>;

/** EventTrackerPolicy: which changes of workloads start chaos. */

import type { ObjectMeta } from '@turnsole/kube/kinds/core';
import Type from 'typebox';
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

const policyConditionSchema = fields('A condition on one value of the workload.', {
  key: text(
    'JMESPath expression that selects the value from the whole object, such as spec.replicas; at most 1024 characters. Names with a dot, slash or dash need quotes.',
    { minLength: 1 },
  ),
  operator: choice(
    'How the value is judged. Change: it differs from the value before; the others compare it with value.',
    POLICY_OPERATORS,
  ),
  value: optional(
    text(
      'What the value is compared with, as a text, so numbers need quotes in YAML. Required by all operators except Change, which does not use it.',
    ),
  ),
});

const startSchema = fields(
  'What the tracker starts in the namespace of the policy. Absent: it starts an experiment of the control plane, which the annotation litmuschaos.io/experimentId of the workload names.',
  {
    kind: choice(
      'Kind of the template: a WorkflowTemplate, which a new workflow refers to, or a ChaosEngine or ChaosSchedule, of which an engine is made.',
      STARTED_KINDS,
    ),
    name: text(
      'Name of the template in the namespace of the policy. While it does not exist, a trigger waits for it.',
      { minLength: 1 },
    ),
    parameters: optional(
      textMap(
        'Arguments of the workflow, by the name of the parameter; for kind WorkflowTemplate only. Absent: the values of the template.',
      ),
    ),
  },
);

const eventTrackerPolicySpecSchema = fields(
  'Which changes of workloads start chaos, and what they start. A policy applies to every annotated Deployment, StatefulSet and DaemonSet.',
  {
    condition_type: choice(
      'or: one condition whose value has changed has to pass; and: all conditions have to pass, as semantics says. Nothing triggers unless a value has changed.',
      CONDITION_TYPES,
    ),
    conditions: list('Conditions on values of the workload; from 1 to 32.', policyConditionSchema, {
      minItems: 1,
    }),
    semantics: optional(
      choice(
        'What `and` means. whole (default): all conditions have to pass, also those whose value has not changed; upstream: conditions whose value has not changed are left out, as in LitmusChaos.',
        POLICY_SEMANTICS,
      ),
    ),
    rollout: optional(
      choice(
        'How often one rollout of a workload may trigger. once (default): at its first change that passes; each: at every change that passes; settled: at most once, when the rollout is over, by comparing the values before and after it.',
        ROLLOUT_MODES,
      ),
    ),
    cooldownSeconds: optional(
      whole(
        'Seconds after a trigger during which further changes of the same workload count as seen and do not trigger. Where the chaos changes the workload itself, choose more than the chaos takes. Absent: no pause.',
        { format: 'int64', minimum: 1 },
      ),
    ),
    start: optional(startSchema),
  },
);

const eventTrackerPolicyStatusSchema = fields(
  'What the tracker knows of the workloads, and the triggers that it has to hand over. Absent: the tracker has not seen the policy yet.',
  {
    conditions: optional(conditionsSchema),
    count: optional(whole('How many triggers the policy has had so far. Absent: none.', { format: 'int64' })),
    triggers: optional(
      listOf<PolicyTrigger>('Triggers that wait to be handed over, and the last 20 that were.', {
        id: text('Id of the trigger, by which a receiver recognises a trigger that it gets a second time.'),
        state: word<TriggerState>(
          'Pending: waits to be handed over; Sent: the control plane has accepted it; Started: its object was made in the cluster; Refused: it will never be accepted.',
        ),
      }),
    ),
    tracked: optional(
      objectMap<TrackedWorkload>(
        'Last seen state of each workload, with which its next state is compared, by Kind/namespace/name. It holds digests of values, never the values.',
      ),
    ),
  },
);

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
    apiVersion: optional(text('API group and version of the object: eventtracker.litmuschaos.io/v1.')),
    kind: optional(text('Kind of the object: EventTrackerPolicy.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: eventTrackerPolicySpecSchema,
    statuses: optional(
      listOf<UpstreamStatus>(
        'The last triggers in the form that the tracker of LitmusChaos writes, for programs that read it; status.triggers says more.',
        {
          time_stamp: text('When the trigger was stored, RFC 850.'),
          resource: text('Kind of the workload that changed.'),
          resource_name: text('Name of the workload that changed.'),
          result: text('Always ConditionPassed.'),
          experiment_id: text(
            'Id of the experiment of the control plane. Absent: the policy starts something in the cluster.',
          ),
          is_triggered: text(
            '"false": the trigger waits to be handed over; "true": it was handed over or refused.',
          ),
        },
      ),
    ),
    status: optional(eventTrackerPolicyStatusSchema),
  },
  { description: 'Starts chaos when a workload changes.' },
);

/** Starts chaos when workloads change. */
export type EventTrackerPolicy = Type.Static<typeof eventTrackerPolicySchema>;
export type EventTrackerPolicySpec = Type.Static<typeof eventTrackerPolicySpecSchema>;
export type EventTrackerPolicyStatus = Type.Static<typeof eventTrackerPolicyStatusSchema>;

/** ChaosResult: verdict, probes, history and ledger of one experiment of one engine. */
import Type from 'typebox';
import type { ObjectMeta } from '../core.ts';
import type { LedgerEntry } from '../ledger.ts';
import type { PlanFindings } from '../plan-findings.ts';
import type { RecoveryTemplate } from '../recovery-template.ts';
import { fields, flag, list, number, objectMap, optional, text, whole, word } from './build.ts';
import { timelineSchema } from './parts.ts';
import type {
  EngineVerdict,
  ProbeMode,
  ProbeType,
  ProbeVerdict,
  ResultPhase,
  TargetStatus,
} from './vocabulary.ts';

/** Numbers that a probe measured. */
const measuredSchema = fields(
  'Numbers that the probe measured in this run, thinned out where they were many.',
  {
    what: text('What they are: value, or response time.'),
    unit: optional(text('Their unit, where it is known.')),
    points: list(
      'In order of time.',
      fields('One of them.', {
        time: text('When, RFC 3339 with milliseconds.'),
        value: number('The number.'),
      }),
    ),
  },
);

/** How one probe did. */
const probeStatusSchema = fields('How one probe did.', {
  name: text('Name of the probe.'),
  type: word<ProbeType>('Its type.'),
  mode: word<ProbeMode>('Its mode.'),
  status: fields('The judgement.', {
    verdict: word<ProbeVerdict>('Awaited, Passed, Failed or N/A.'),
    description: optional(text('What was measured and what was expected.')),
  }),
  measured: optional(measuredSchema),
});

/** What chaos was done to. */
const chaosTargetSchema = fields('What chaos was done to.', {
  name: text('Name of the object.'),
  kind: text('Kind of the object, in lower case.'),
  chaosStatus: word<TargetStatus>('targeted, injected, reverted…'),
});

/** Runs so far and the targets of the last one. */
const resultHistorySchema = fields('Runs so far, and the targets of the last one.', {
  passedRuns: whole('Runs that passed.'),
  failedRuns: whole('Runs that failed.'),
  stoppedRuns: whole('Runs that were stopped.'),
  targets: optional(list('What chaos was done to.', chaosTargetSchema, { nullable: true })),
});

/** Phase and verdict. */
const experimentResultSchema = fields('Phase and verdict.', {
  phase: word<ResultPhase>('How far the run is.'),
  verdict: word<EngineVerdict>('The judgement; N/A of a dry run.'),
  probeSuccessPercentage: optional(text('Share of passed probes, 0 to 100, or Awaited.')),
  errorOutput: optional(
    fields('Why it failed.', {
      errorCode: optional(text('Code of the error.')),
      reason: optional(text('The error in words.')),
    }),
  ),
});

/** Everything that is known of a run. */
const chaosResultStatusSchema = fields('Everything that is known of the run.', {
  experimentStatus: optional(experimentResultSchema),
  probeStatuses: optional(list('How each probe did.', probeStatusSchema, { nullable: true })),
  history: optional(resultHistorySchema),
  ledger: optional(objectMap<LedgerEntry>('What was injected, by injection id; open entries are recovered.')),
  recovery: optional(
    Type.Unsafe<RecoveryTemplate>({
      type: 'object',
      description:
        'How to start the experiment once more to revert what it left: what its own pod was made of.',
      'x-kubernetes-preserve-unknown-fields': true,
    }),
  ),
  lease: optional(
    fields('Tells helpers that their experiment lives: they revert when it is not renewed in time.', {
      renewTime: optional(text('When it was last renewed, RFC 3339.')),
      durationSeconds: optional(whole('How long it lasts from then on.')),
      revoked: optional(
        flag('The run is aborted: helpers revert, and those that have injected nothing yet never do.'),
      ),
    }),
  ),
  closed: optional(
    fields(
      'The last word of an experiment: by then it had reverted what it put in force, and it injects nothing more.',
      { runId: text('Its run.'), pod: text('Its pod.') },
    ),
  ),
  timeline: optional(timelineSchema),
  engineTimeline: optional(timelineSchema),
  dryRun: optional(flag('The last run was a dry run: nothing was injected, and its verdict is no pass.')),
  plan: optional(
    Type.Unsafe<PlanFindings>({
      type: 'object',
      description: 'What the last dry run found: targets, blast radius, permissions, conflicts.',
      'x-kubernetes-preserve-unknown-fields': true,
    }),
  ),
});

/** Whose result it is. */
const chaosResultSpecSchema = fields('Whose result it is.', {
  engine: optional(text('Name of the engine.')),
  experiment: optional(text('Name of the experiment.')),
  instance: optional(text('Instance id, when the engine gave one.')),
});

/** The whole object. */
export const chaosResultSchema = Type.Object(
  {
    apiVersion: optional(text('Version of the schema of this object.')),
    kind: optional(text('Kind of this object.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: optional(chaosResultSpecSchema),
    status: optional(chaosResultStatusSchema),
  },
  { description: 'Verdict, probes and history of one experiment of one engine.' },
);

/** Verdict, probes and history of one experiment of one engine. */
export type ChaosResult = Type.Static<typeof chaosResultSchema>;
export type ProbeStatus = Type.Static<typeof probeStatusSchema>;
export type Measured = Type.Static<typeof measuredSchema>;
/** An entry of `status.history.targets`. */
export type ChaosTarget = Type.Static<typeof chaosTargetSchema>;

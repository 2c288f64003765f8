/** ChaosResult: verdict, probes, history and ledger of one experiment of one engine. */

import type { ObjectMeta } from '@turnsole/kube/kinds/core';
import Type from 'typebox';
import type { LedgerEntry } from '../ledger.ts';
import type { PlanFindings } from '../plan-findings.ts';
import { PROBE_TYPES, type ProbeType } from '../probe-types/index.ts';
import type { RecoveryTemplate } from '../recovery-template.ts';
import { fields, flag, list, number, objectMap, optional, text, whole, word } from './build.ts';
import { timelineOf } from './parts.ts';
import type { EngineVerdict, ProbeMode, ProbeVerdict, ResultPhase, TargetStatus } from './vocabulary.ts';

/** Numbers that a probe measured. */
const measuredSchema = fields(
  'Numbers that the probe measured in this run; where there were more than 120 they are thinned out, and the least and the greatest of neighbours stay. Absent: the probe measured no numbers.',
  {
    what: text('What the numbers are: value, or response time.'),
    unit: optional(text('Unit of the numbers, such as ms. Absent: not known.')),
    points: list(
      'The measured numbers, oldest first.',
      fields('One measured number.', {
        time: text('When it was measured, RFC 3339 with milliseconds.'),
        value: number('The measured number, in the unit above.'),
      }),
    ),
  },
);

/** A moment of a run. */
const momentSchema = (description: string) =>
  fields(description, {
    time: text('The moment, RFC 3339 with milliseconds.'),
    sinceInjectionMs: optional(
      whole('Milliseconds from the begin of the fault to the moment. Absent: there was no fault.', {
        format: 'int64',
      }),
    ),
    sinceRevertMs: optional(
      whole('Milliseconds from the end of the fault to the moment. Absent: the fault has not ended.', {
        format: 'int64',
      }),
    ),
  });

const percentile = (what: string) =>
  optional(number(`${what} of the latencies, in milliseconds. Absent: there are none.`));

/** Measurements of one part of a run. */
const summaryPartSchema = (description: string) =>
  fields(description, {
    measurements: whole('How many measurements there were.', { format: 'int64' }),
    failed: whole('How many of them failed.', { format: 'int64' }),
    failures: optional(
      list(
        'How they failed, the most frequent kind first. Absent: none failed.',
        fields('One kind of failures.', {
          kind: text('The kind, such as refused, no answer in 1 s, or status 503.'),
          count: whole('How many failed like this.', { format: 'int64' }),
        }),
      ),
    ),
    retried: optional(
      whole(
        'How many passed only by a further attempt, see runProperties.attempt; they are none of those that failed. Absent: none did.',
        { format: 'int64' },
      ),
    ),
    latencies: optional(
      whole(
        'How many measurements have a latency: those that passed, and those that got no answer in time. Absent: none has.',
        { format: 'int64' },
      ),
    ),
    p50Ms: percentile('Median'),
    p95Ms: percentile('95th percentile'),
    p99Ms: percentile('99th percentile'),
    maxMs: percentile('Maximum'),
  });

/** What a probe that measures again and again found, in numbers. */
const probeSummarySchema = fields(
  'What the probe measured around the fault, in numbers. Absent: it does not measure again and again, or has measured nothing.',
  {
    measurements: whole('How many measurements there were.', { format: 'int64' }),
    failed: whole('How many of them failed.', { format: 'int64' }),
    injected: optional(text('When the fault came into force, RFC 3339. Absent: it was never in force.')),
    reverted: optional(text('When its revert began, RFC 3339. Absent: it has not begun.')),
    before: summaryPartSchema('Measurements that ended before the fault was in force.'),
    during: summaryPartSchema('Measurements that were under way while the fault was in force.'),
    after: summaryPartSchema('Measurements that began after the revert had begun.'),
    lastFailureBefore: optional(
      momentSchema('Begin of the last measurement that failed before the fault. Absent: none did.'),
    ),
    firstFailure: optional(
      momentSchema('Begin of the first measurement that failed during or after the fault. Absent: none did.'),
    ),
    lastFailure: optional(
      momentSchema('Begin of the last measurement that failed during or after the fault. Absent: none did.'),
    ),
    recovery: optional(
      momentSchema(
        'Begin of the first measurement that succeeded after the last failure. Absent: there was none of either.',
      ),
    ),
    failingSince: optional(
      momentSchema(
        'Begin of the first of the measurements that have failed since then without a success between. Absent: the last one succeeded.',
      ),
    ),
    outage: optional(
      fields(
        'The longest outage that was not over before the fault: from the begin of the first measurement or attempt that failed to the begin of the next that succeeded. Absent: there was none.',
        {
          from: text('Its begin, RFC 3339.'),
          until: text('Its end, RFC 3339; the end of the last measurement, if it has not ended.'),
          ms: whole('Its length, in milliseconds.', { format: 'int64' }),
          ended: flag('false: no measurement has succeeded since.'),
        },
      ),
    ),
    longestGapMs: optional(
      whole(
        'Longest time while the fault was in force in which no measurement was under way, in milliseconds; nothing is known of it. Absent: there was no fault.',
        { format: 'int64' },
      ),
    ),
  },
);

/** How one probe did. */
const probeStatusSchema = fields('Verdict and measurements of one probe.', {
  name: text('Name of the probe, as in the engine.'),
  subject: optional(text('What the probe asks, in short, such as an address. Absent: not known.')),
  type: word<ProbeType>(
    `Type of the probe: ${PROBE_TYPES.slice(0, -1).join(', ')} or ${PROBE_TYPES.at(-1)}.`,
  ),
  mode: word<ProbeMode>('When the probe ran: SOT, EOT, Edge, Continuous or OnChaos.'),
  status: fields('Verdict of the probe, and why.', {
    verdict: word<ProbeVerdict>(
      'Awaited while the probe is not judged, then Passed, Failed, or N/A when it could not be judged.',
    ),
    description: optional(
      text('What was measured and what was expected, as a sentence. Absent: nothing was measured yet.'),
    ),
  }),
  measured: optional(measuredSchema),
  summary: optional(probeSummarySchema),
});

/** What chaos was done to. */
const chaosTargetSchema = fields('An object that chaos was done to.', {
  name: text('Name of the object.'),
  kind: text('Kind of the object in lower case, such as pod.'),
  chaosStatus: word<TargetStatus>(
    'What was done to the object: targeted, injected, reverted, noLongerExist, detached or re-attached.',
  ),
});

/** Runs so far and the targets of the last one. */
const resultHistorySchema = fields('How the runs so far ended, and the targets of the last one.', {
  passedRuns: whole('Number of runs with verdict Pass.'),
  failedRuns: whole('Number of runs with verdict Fail.'),
  stoppedRuns: whole('Number of runs with verdict Stopped.'),
  targets: optional(
    list(
      'The objects that the last run did chaos to. Null or absent means the same as an empty list.',
      chaosTargetSchema,
      { nullable: true },
    ),
  ),
});

/** Phase and verdict. */
const experimentResultSchema = fields('Phase and verdict of the current or last run.', {
  phase: word<ResultPhase>(
    'Phase of the run: Running, Completed, Completed_With_Probe_Failure, Stopped or Error; Completed_With_Error in results of old releases.',
  ),
  verdict: word<EngineVerdict>(
    'Verdict of the run: Awaited while it goes on, then Pass, Fail, Stopped or Error; N/A for a dry run.',
  ),
  probeSuccessPercentage: optional(
    text('Per cent of the probes that passed, 0 to 100, as a text; Awaited while the run goes on.'),
  ),
  errorOutput: optional(
    fields('Why the run did not pass. Absent: it passed, goes on, or failed only by its probes.', {
      errorCode: optional(text('Code of the error; docs/errors.md lists all codes.')),
      reason: optional(text('The error, as a text for people.')),
    }),
  ),
});

/** How much of a held fault was in force. */
const coverageSchema = fields(
  'For how long the held fault of the last run was in force on its targets, by the windows in the ledger.',
  {
    kind: text('Kind of the targets in lower case: pod, container, node.'),
    targets: whole('Number of targets that were chosen.'),
    hit: whole('On how many of them, or of those that took their place, it was in force at all.'),
    followed: whole('Number of further targets that were hit because they took the place of others.'),
    seconds: number('Seconds for which it was in force: the mean over the targets, rounded down.'),
    ofSeconds: number('Seconds for which it was asked for.'),
    percent: number('seconds in per cent of ofSeconds.'),
  },
);

/** What chaos did to the pods of a workload. */
const workloadReadinessSchema = fields('How many pods of a hit workload were ready while chaos lasted.', {
  kind: text('Kind of the workload in lower case, such as deployment.'),
  namespace: text('Namespace of the workload.'),
  name: text('Name of the workload.'),
  readyBefore: whole('Number of ready pods when chaos began.'),
  lowestReady: whole('Lowest number of ready pods while chaos lasted.'),
  noneReadySeconds: number('Seconds for which no pod was ready while chaos lasted.'),
  ready: optional(
    list(
      'How many pods were ready from when chaos targets were chosen, oldest first; of more than 200 changes the latest. Absent: not known.',
      fields('A number of ready pods.', {
        time: text('Since when, RFC 3339 with milliseconds.'),
        pods: whole('How many pods were ready from then on.'),
      }),
    ),
  ),
});

/** What a run was to take. */
const timingSchema = fields('How long the parts of the last run were to last at most.', {
  chaosSeconds: number('Seconds of chaos: TOTAL_CHAOS_DURATION.'),
  intervalSeconds: optional(
    number(
      'Seconds between two rounds of a fault that is repeated. Absent: the fault is held, or the interval is drawn.',
    ),
  ),
  healthSeconds: optional(
    number(
      'Seconds that the application may take to be healthy, before and after chaos. Absent: its health is not checked.',
    ),
  ),
});

/** A figure that goes up and down, at its highest. */
const peakSchema = (description: string) =>
  fields(description, {
    value: number('The highest value.'),
    time: text('When it was read, RFC 3339 with milliseconds.'),
  });

/** How busy the machine of one process of a run was. */
const pressureSchema = fields('How busy the machine of one process of the run was, at the worst.', {
  process: text('The process that looked: experiment/<name>, which has the probes in it, or helper/<pod>.'),
  cores: whole('Number of processors of its machine.'),
  eventLoopLateMs: peakSchema('By how many milliseconds the event loop of the process was late.'),
  load: optional(peakSchema('Load average of one minute of its machine. Absent: the machine has none.')),
  cpuWaitPercent: optional(
    peakSchema(
      'Share of ten seconds in which something on the machine waited for a processor, in per cent. Absent: the kernel does not count it.',
    ),
  ),
});

/** Everything that is known of a run. */
const chaosResultStatusSchema = fields(
  'Everything that is known of the current or last run, written by the experiment and its helpers.',
  {
    experimentStatus: optional(experimentResultSchema),
    probeStatuses: optional(
      list(
        'Verdict and measurements of each probe, in the order of the engine. Null or absent means the same as an empty list.',
        probeStatusSchema,
        { nullable: true },
      ),
    ),
    history: optional(resultHistorySchema),
    ledger: optional(
      objectMap<LedgerEntry>(
        'What the run injected, by the id of the injection. A recovery of the run reverts the entries in state planned or injected.',
      ),
    ),
    recovery: optional(
      Type.Unsafe<RecoveryTemplate>({
        type: 'object',
        description:
          'Parts of the experiment pod, with which the operator can start the experiment once more to revert what a dead one left in force. Absent: the fault leaves nothing in force.',
        'x-kubernetes-preserve-unknown-fields': true,
      }),
    ),
    lease: optional(
      fields(
        'Sign of life of the experiment for its helper pods: they revert by themselves when it is not renewed in time. Absent: no helper of the run depends on it.',
        {
          renewTime: optional(text('When the experiment last renewed it, RFC 3339.')),
          durationSeconds: optional(
            whole('Seconds after renewTime for which it is valid; the setting LEASE_SECONDS, 30 by default.'),
          ),
          revoked: optional(
            flag(
              'true: the run is aborted, so helpers revert at once, and those that have injected nothing yet never do. Default: false.',
            ),
          ),
        },
      ),
    ),
    closed: optional(
      fields(
        'Set by an experiment as its last write: it has reverted what it put in force, and injects nothing more. Absent: an experiment may still be at work.',
        {
          runId: text('Id of the run of that experiment.'),
          pod: text('Name of the pod of that experiment.'),
        },
      ),
    ),
    timeline: optional(
      timelineOf(
        'Steps that the experiment, its helpers and its probes have taken in its runs, oldest first; only the last 1000 are kept.',
      ),
    ),
    engineTimeline: optional(
      timelineOf(
        'Steps of the engine, kept here when the engine is stopped or deleted; only the last 300 are kept. Absent: see status.timeline of the engine.',
      ),
    ),
    coverage: optional(coverageSchema),
    workloads: optional(
      list('The hit workloads of the last run. Absent: none was hit.', workloadReadinessSchema),
    ),
    timing: optional(timingSchema),
    pressure: optional(
      list(
        'How busy the machines of the last run were: the experiment, then the helpers that had it worst; ten at most. Absent: not known.',
        pressureSchema,
      ),
    ),
    dryRun: optional(
      flag(
        'true: the last run was a dry run, so nothing was injected, and its verdict is N/A or Error. Default: false.',
      ),
    ),
    plan: optional(
      Type.Unsafe<PlanFindings>({
        type: 'object',
        description:
          'What the last dry run found: targets, blast radius, missing permissions and conflicts with other chaos. Absent: there was no dry run.',
        'x-kubernetes-preserve-unknown-fields': true,
      }),
    ),
  },
);

/** Whose result it is. */
const chaosResultSpecSchema = fields('Which experiment of which engine the result belongs to.', {
  engine: optional(text('Name of the ChaosEngine. Absent or empty: the experiment ran without one.')),
  experiment: optional(text('Name of the ChaosExperiment.')),
  instance: optional(
    text(
      'Value of the setting INSTANCE_ID, by which several results of one experiment are told apart. Absent: the engine gave none.',
    ),
  ),
});

/** The whole object. */
export const chaosResultSchema = Type.Object(
  {
    apiVersion: optional(text('API group and version of the object: litmuschaos.io/v1alpha1.')),
    kind: optional(text('Kind of the object: ChaosResult.')),
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object' }),
    spec: optional(chaosResultSpecSchema),
    status: optional(chaosResultStatusSchema),
  },
  {
    description:
      'Verdict, probes and history of one experiment of one engine; its name is <engine>-<experiment>.',
  },
);

/** Verdict, probes and history of one experiment of one engine. */
export type ChaosResult = Type.Static<typeof chaosResultSchema>;
export type ProbeStatus = Type.Static<typeof probeStatusSchema>;
export type ProbeSummary = Type.Static<typeof probeSummarySchema>;
export type ProbeSummaryPart = ProbeSummary['before'];
export type ProbeMoment = NonNullable<ProbeSummary['firstFailure']>;
export type ProbeOutage = NonNullable<ProbeSummary['outage']>;
export type WorkloadReadiness = Type.Static<typeof workloadReadinessSchema>;
export type Pressure = Type.Static<typeof pressureSchema>;
export type Peak = Pressure['eventLoopLateMs'];
export type Coverage = Type.Static<typeof coverageSchema>;
export type Measured = Type.Static<typeof measuredSchema>;
/** An entry of `status.history.targets`. */
export type ChaosTarget = Type.Static<typeof chaosTargetSchema>;

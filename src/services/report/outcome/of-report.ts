import type { ProbeVerdict } from '../../../api/schema/vocabulary.ts';
import { EXIT, type ExitCode } from '../../../process/exit-codes.ts';
import { probeCourse, workloadCourse } from '../course/course.ts';
import { survivalOf } from '../course/sentences.ts';
import type { EngineReport, ExperimentReport, RunReport, WorkflowReport } from '../model.ts';
import type { ExperimentFacts } from './facts.ts';
import { outcomeOf } from './outcome.ts';
import type { RunOutcome } from './run-outcome.ts';

/** The runs of a report that an outcome is composed from. */
type Reported = Pick<RunReport, 'aborted' | 'engines' | 'workflows'>;

/** Codes of several runs: the first of these that one of them has is that of all. */
const WORST_FIRST: readonly ExitCode[] = [
  EXIT.aborted,
  EXIT.couldNotRun,
  EXIT.fail,
  EXIT.notSteady,
  EXIT.dryRun,
  EXIT.pass,
];

/** What is known of a run beside its report. */
interface BesideReport {
  /** Faults of its workflow whose engine is not known, where the report itself does not say. */
  readonly notMade?: readonly string[];
  /** Whether it is over, whatever phase it was last seen in. */
  readonly isOver?: boolean;
}

/** The outcome of a report: of several runs the worst one's. */
export function reportOutcome(report: Reported, beside: BesideReport = {}): RunOutcome {
  const { aborted, engines, workflows = [] } = report;
  const alone = engines.filter((engine) => !workflows.some((workflow) => isOf(engine, workflow)));
  const outcomes = [
    ...workflows.map((workflow) => workflowOutcome(workflow, engines, { isStopped: aborted, ...beside })),
    ...alone.map((engine) => engineOutcome(engine, aborted)),
  ];
  const [worst] = outcomes.toSorted((one, other) => rankOf(one) - rankOf(other));
  if (worst !== undefined) return worst;
  // A schedule may end before its first occurrence.
  return outcomeOf({
    ...{ isStopped: aborted, isOver: true, problem: 'nothing was run' },
    ...{ experiments: [], notMade: [] },
  });
}

/** The exit code that a report deserves; a run that hung in a phase has failed. */
export function exitCodeOf(report: Reported): ExitCode {
  return reportOutcome(report).exitCode ?? EXIT.fail;
}

function rankOf({ exitCode }: RunOutcome): number {
  return exitCode === undefined ? WORST_FIRST.indexOf(EXIT.fail) - 0.5 : WORST_FIRST.indexOf(exitCode);
}

function isOf({ workflow, namespace, name }: EngineReport, { name: of, engines }: WorkflowReport): boolean {
  return workflow === of || engines.includes(`${namespace}/${name}`);
}

/** The outcome of experiments that have passed, with what they have shown. */
function withSurvival(outcome: RunOutcome, experiments: readonly ExperimentReport[]): RunOutcome {
  if (outcome.word !== 'Passed' || outcome.by !== 'chaos') return outcome;
  const survival = survivalOf(
    experiments.map(({ name, hits = [], workloads = [], probes }) => ({
      ...{ fault: name, hits, workloads: workloads.map(workloadCourse) },
      probes: probes.map((probe) =>
        // Other agents have words of their own.
        probeCourse({ ...probe, status: { verdict: probe.verdict as ProbeVerdict } }),
      ),
    })),
  );
  return survival === undefined ? outcome : { ...outcome, survival };
}

/** The outcome of one workflow of a report, with its engines. */
export function workflowOutcome(
  workflow: WorkflowReport,
  engines: readonly EngineReport[],
  { isStopped = false, notMade = [], isOver }: BesideReport & { readonly isStopped?: boolean } = {},
): RunOutcome {
  const own = engines.filter((engine) => isOf(engine, workflow));
  const problem = workflow.reason ?? own.map(problemOf).find((reason) => reason !== undefined);
  const outcome = outcomeOf({
    isStopped,
    isOver: isOver ?? !UNDER_WAY.includes(workflow.phase),
    ...(problem !== undefined && { problem, isRefused: workflow.reason !== undefined }),
    workflow: { phase: workflow.phase, message: workflow.message ?? '', nodes: workflow.nodes },
    experiments: own.flatMap(experimentsOf),
    notMade: workflow.notMade ?? notMade,
  });
  return withSurvival(
    outcome,
    own.flatMap(({ experiments }) => experiments),
  );
}

/** Phases before the end. */
const UNDER_WAY: readonly string[] = ['Queued', 'Pending', 'Running'];

function engineOutcome(engine: EngineReport, isStopped: boolean): RunOutcome {
  const problem = problemOf(engine);
  const outcome = outcomeOf({
    isStopped,
    isOver: engine.status !== 'initialized' && engine.status !== 'Running',
    ...(problem !== undefined && { problem }),
    experiments: experimentsOf(engine),
    notMade: [],
  });
  return withSurvival(outcome, engine.experiments);
}

function experimentsOf({ experiments, dryRun, step }: EngineReport): ExperimentFacts[] {
  const ofEngine = { isDryRun: dryRun === true, ...(step !== undefined && { step }) };
  return experiments.map((experiment) => ({ ...experiment, ...ofEngine }));
}

/** Why an engine could not run; a reason beside a verdict does not take that back. */
function problemOf({ reason, experiments }: EngineReport): string | undefined {
  return experiments.every(neverRan) ? reason : undefined;
}

function neverRan({ verdict }: ExperimentReport): boolean {
  return verdict === 'N/A' || verdict === 'Awaited';
}

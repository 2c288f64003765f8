import { EXIT } from '../../process/exit-codes.ts';
import { withoutDrawnNames } from './drawn-names.ts';
import { plainWords } from './error-words.ts';
import type { EngineReport, ExperimentReport, RunFailure, RunReport, WorkflowReport } from './model.ts';
import { passDoubt } from './outcome/judged.ts';
import { reportOutcome } from './outcome/of-report.ts';
import { outcomeSentence } from './outcome/run-outcome.ts';
import { reasonsOf } from './reasons.ts';
import { formatOffset } from './timeline.ts';
import { type SuiteCase, workflowCases } from './workflow-suite.ts';

/**
 * JUnit XML of a run, as CI systems read it: one suite per engine, one case per experiment, probes in its output; one suite per workflow,
 * one case per node; names are the same in each run, as far as they can be. Fail is a `<failure>`, Error and Stopped are an `<error>`, what never ran is `<skipped>`.
 */
export function toJUnit(asRun: RunReport): string {
  const report = withoutDrawnNames(asRun);
  const experiments = report.engines.flatMap((engine) => engine.experiments);
  const ofWorkflows = (report.workflows ?? []).map((workflow) => ({
    workflow,
    cases: workflowCases(workflow, report.engines, outcomeOfAll(report, workflow)),
  }));
  const nodes = ofWorkflows.flatMap((one) => one.cases);
  const kinds = [...experiments.map(kindOf), ...nodes.map(({ kind }) => kind)];
  const failure = report.failure ?? (kinds.some(isBroken) ? undefined : whyNoPass(report));
  const sum = countsOf([...(failure === undefined ? [] : (['error'] as const)), ...kinds]);
  const attributes = { name: 'turnsole', ...sum, time: seconds(report.startedAt, report.endedAt) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${xmlAttributes(attributes)}>`,
    ...(failure === undefined ? [] : [failureSuite(failure)]),
    ...report.engines.map(suite),
    ...ofWorkflows.map(({ workflow, cases: own }) => workflowSuite(workflow, own)),
    '</testsuites>',
    '',
  ].join('\n');
}

function isBroken(kind: SuiteCase['kind']): boolean {
  return kind === 'failure' || kind === 'error';
}

/** Why a run is no pass of which no case says so: those of a run that was stopped, or could not start, have only been skipped. */
function whyNoPass(report: RunReport): RunFailure | undefined {
  const outcome = report.outcome ?? reportOutcome(report);
  const { exitCode } = outcome;
  if (exitCode === undefined || exitCode === EXIT.pass || exitCode === EXIT.dryRun) return undefined;
  return { message: outcomeSentence(outcome), code: outcome.word, exitCode };
}

/** A run in which nothing ran, as a test that could not be done. */
function failureSuite({ message, code }: RunFailure): string {
  const [first = ''] = message.split('\n');
  return [
    `  <testsuite${xmlAttributes({ name: 'turnsole', ...countsOf(['error']) })}>`,
    `    <testcase${xmlAttributes({ name: 'run', classname: 'turnsole', time: '0' })}>`,
    `      <error${xmlAttributes({ message: first, type: code })}>${escapeXml(message)}</error>`,
    '    </testcase>',
    '  </testsuite>',
  ].join('\n');
}

/** The outcome of the report where it is that of this workflow: what made it may have known more than the report says. */
function outcomeOfAll({ outcome, workflows = [], engines }: RunReport, { name }: WorkflowReport) {
  const isAlone = workflows.length === 1 && engines.every(({ workflow }) => workflow === name);
  return isAlone ? outcome : undefined;
}

function suite(engine: EngineReport): string {
  const first = engine.timeline[0]?.time;
  const last = engine.timeline.at(-1)?.time;
  const attributes = {
    name: `${engine.namespace}/${engine.name}`,
    ...countsOf(engine.experiments.map(kindOf)),
    ...(first === undefined ? {} : { timestamp: first, time: seconds(first, last) }),
  };
  const cases = engine.experiments.map((experiment) => testCase(engine, experiment));
  return [`  <testsuite${xmlAttributes(attributes)}>`, ...cases, '  </testsuite>'].join('\n');
}

function workflowSuite(
  { namespace, name, startedAt, endedAt }: WorkflowReport,
  cases: readonly SuiteCase[],
): string {
  const attributes = {
    name: `workflow ${namespace}/${name}`,
    ...countsOf(cases.map(({ kind }) => kind)),
    ...(startedAt === undefined ? {} : { timestamp: startedAt, time: seconds(startedAt, endedAt) }),
  };
  const lines = cases.map((one) => {
    const own = {
      name: one.name,
      classname: `${namespace}.${name}`,
      time: seconds(one.startedAt, one.endedAt),
    };
    const body =
      one.kind === 'passed' ? [] : [`      <${one.kind}${xmlAttributes({ message: one.message })}/>`];
    return [`    <testcase${xmlAttributes(own)}>`, ...body, '    </testcase>'].join('\n');
  });
  return [`  <testsuite${xmlAttributes(attributes)}>`, ...lines, '  </testsuite>'].join('\n');
}

function countsOf(kinds: readonly SuiteCase['kind'][]): Record<string, string> {
  const count = (wanted: SuiteCase['kind']): string => String(kinds.filter((kind) => kind === wanted).length);
  return {
    tests: String(kinds.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

function testCase(engine: EngineReport, experiment: ExperimentReport): string {
  const attributes = {
    name: experiment.name,
    classname: `${engine.namespace}.${engine.name}`,
    time: seconds(experiment.startedAt, experiment.endedAt),
  };
  const body = [outcome(experiment, engine), output(experiment)].filter((part) => part !== '');
  return [`    <testcase${xmlAttributes(attributes)}>`, ...body, '    </testcase>'].join('\n');
}

/** The outcome that JUnit has for a verdict; an unknown verdict is an error. */
function kindOf({ verdict }: ExperimentReport): SuiteCase['kind'] {
  switch (verdict) {
    case 'Pass':
      return 'passed';
    case 'Fail':
      return 'failure';
    case 'N/A':
    case 'Awaited':
      return 'skipped';
    default:
      return 'error';
  }
}

function outcome(experiment: ExperimentReport, engine: EngineReport): string {
  const kind = kindOf(experiment);
  if (kind === 'passed') return '';
  const reasons = reasonsOf(experiment).join('; ');
  // CI pages show this text and little else.
  const said = { message: reasons === '' ? `verdict ${experiment.verdict}` : reasons };
  const { errorCode: type } = experiment;
  const attributes = xmlAttributes(kind === 'skipped' || type === undefined ? said : { ...said, type });
  // Its body has a line for each, with room for long ones, and what led to them.
  const body = kind === 'skipped' ? '' : [...reasonsOf(experiment), ...storyOf(engine)].join('\n');
  return body === ''
    ? `      <${kind}${attributes}/>`
    : `      <${kind}${attributes}>${escapeXml(body)}</${kind}>`;
}

/** Steps of a run that its story has. */
const STORY_LINES = 60;

/** The last steps of the run, with the time since its first one. */
function storyOf({ timeline }: EngineReport): string[] {
  const start = Date.parse(timeline[0]?.time ?? '');
  const steps = timeline
    .slice(-STORY_LINES)
    .map(({ time, actor, message }) => `${formatOffset(Date.parse(time) - start)}  ${actor}  ${message}`);
  return steps.length === 0 ? [] : ['', ...steps];
}

function output(experiment: ExperimentReport): string {
  const doubt = passDoubt(experiment);
  const lines = [
    ...(doubt === undefined ? [] : [`warning: passed, but ${doubt}`]),
    ...experiment.probes.map(
      (probe) =>
        `probe ${probe.name} (${probe.type}, ${probe.mode}): ${probe.verdict} ${plainWords(probe.description ?? '')}`,
    ),
    ...experiment.targets.map((target) => `target ${target.kind}/${target.name}: ${target.status}`),
    ...(experiment.workloads ?? []).flatMap(({ text }) => text ?? []),
    ...(experiment.coverage === undefined ? [] : [experiment.coverage.text]),
    ...(experiment.pressure?.text === undefined ? [] : [`warning: ${experiment.pressure.text}`]),
    ...(experiment.effects ?? []).map(
      ({ target, seen, message }) => `${seen ? 'effect' : 'no effect'} on ${target}: ${message}`,
    ),
    ...(experiment.effectUnknown ?? []).map((target) => `effect on ${target}: not known`),
  ];
  return lines.length === 0 ? '' : `      <system-out>${escapeXml(lines.join('\n'))}</system-out>`;
}

function seconds(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return '0';
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000).toFixed(3);
}

function xmlAttributes(attributes: Record<string, string>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Escapes markup and drops the control characters that XML 1.0 cannot carry at all. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => XML_ENTITIES[character] ?? character)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

import type { EngineReport, ExperimentReport, RunReport, WorkflowReport } from './model.ts';
import { reasonsOf } from './reasons.ts';
import { type SuiteCase, workflowCases } from './workflow-suite.ts';

/**
 * JUnit XML of a run, as CI systems read it: one suite per engine, one case per experiment, probes in its output; one suite per workflow,
 * one case per node. Fail is a `<failure>`, Error and Stopped are an `<error>`, what never ran is `<skipped>`.
 */
export function toJUnit(report: RunReport): string {
  const cases = report.engines.flatMap((engine) => engine.experiments);
  const ofWorkflows = (report.workflows ?? []).map((workflow) => ({
    workflow,
    cases: workflowCases(workflow),
  }));
  const nodes = ofWorkflows.flatMap((one) => one.cases);
  const sum = added(counts(cases), countsOf(nodes));
  const attributes = { name: 'turnsole', ...sum, time: seconds(report.startedAt, report.endedAt) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${xmlAttributes(attributes)}>`,
    ...report.engines.map(suite),
    ...ofWorkflows.map(({ workflow, cases: own }) => workflowSuite(workflow, own)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(engine: EngineReport): string {
  const first = engine.timeline[0]?.time;
  const last = engine.timeline.at(-1)?.time;
  const attributes = {
    name: `${engine.namespace}/${engine.name}`,
    ...counts(engine.experiments),
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
    ...countsOf(cases),
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

function countsOf(cases: readonly SuiteCase[]): Record<string, string> {
  const count = (kind: SuiteCase['kind']): string => String(cases.filter((one) => one.kind === kind).length);
  return {
    tests: String(cases.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

function added(some: Record<string, string>, others: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(some).map(([name, value]) => [name, String(Number(value) + Number(others[name] ?? 0))]),
  );
}

function testCase(engine: EngineReport, experiment: ExperimentReport): string {
  const attributes = {
    name: experiment.name,
    classname: `${engine.namespace}.${engine.name}`,
    time: seconds(experiment.startedAt, experiment.endedAt),
  };
  const body = [outcome(experiment), output(experiment)].filter((part) => part !== '');
  return [`    <testcase${xmlAttributes(attributes)}>`, ...body, '    </testcase>'].join('\n');
}

function outcome(experiment: ExperimentReport): string {
  const reasons = reasonsOf(experiment).join('; ');
  // CI pages show this text and little else.
  const message = xmlAttributes({ message: reasons === '' ? `verdict ${experiment.verdict}` : reasons });
  switch (experiment.verdict) {
    case 'Pass':
      return '';
    case 'Fail':
      return `      <failure${message}/>`;
    case 'N/A':
    case 'Awaited':
      return `      <skipped${message}/>`;
    default:
      return `      <error${message}/>`;
  }
}

function output(experiment: ExperimentReport): string {
  const lines = [
    ...experiment.probes.map(
      (probe) =>
        `probe ${probe.name} (${probe.type}, ${probe.mode}): ${probe.verdict} ${probe.description ?? ''}`,
    ),
    ...experiment.targets.map((target) => `target ${target.kind}/${target.name}: ${target.status}`),
    ...(experiment.effects ?? []).map(
      ({ target, seen, message }) => `${seen ? 'effect' : 'no effect'} on ${target}: ${message}`,
    ),
    ...(experiment.effectUnknown ?? []).map((target) => `effect on ${target}: not known`),
  ];
  return lines.length === 0 ? '' : `      <system-out>${escapeXml(lines.join('\n'))}</system-out>`;
}

function counts(cases: readonly ExperimentReport[]): Record<string, string> {
  const count = (...verdicts: string[]): string =>
    String(cases.filter((experiment) => verdicts.includes(experiment.verdict)).length);
  return {
    tests: String(cases.length),
    failures: count('Fail'),
    errors: count('Error', 'Stopped'),
    skipped: count('N/A', 'Awaited'),
  };
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

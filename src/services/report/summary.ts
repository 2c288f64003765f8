import { summaryWords } from '../../chaos/probe-words/summary-words.ts';
import type { EngineReport, ExperimentReport, RunReport, WorkflowReport } from './model.ts';
import { engineText, reasonsOf } from './reasons.ts';

/** A run as Markdown, for the summary of a CI job: what was decided, by experiment, and why. Pure. */
export function toMarkdown(report: RunReport): string {
  const { engines, workflows = [], outcome, failure } = report;
  const heading = `## Chaos: ${plain(outcome?.word ?? 'no verdict')}`;
  const lines = [
    heading,
    ...(outcome?.survival === undefined ? [] : ['', plain(outcome.survival)]),
    ...(outcome?.reason === undefined ? [] : ['', plain(outcome.reason)]),
    ...(failure === undefined ? [] : ['', ...block(failure.message), '', `Code: \`${failure.code}\``]),
    ...table(engines),
    ...workflowTable(workflows),
    ...engines.flatMap((engine) => engine.experiments.flatMap((one) => story(engine, one))),
  ];
  return `${lines.join('\n')}\n`;
}

function table(engines: readonly EngineReport[]): string[] {
  if (engines.length === 0) return [];
  const rows = engines.flatMap((engine) =>
    engine.experiments.map((one) => {
      const passed = one.probes.filter(({ verdict }) => verdict === 'Passed').length;
      const probes = one.probes.length === 0 ? '-' : `${passed}/${one.probes.length}`;
      return `| ${cell(engineText(engine))} | ${cell(one.name)} | ${MARKS[one.verdict] ?? ''}${cell(one.verdict)} | ${probes} |`;
    }),
  );
  return ['', '| engine | experiment | verdict | probes |', '| --- | --- | --- | --- |', ...rows];
}

const MARKS: Readonly<Record<string, string>> = { Pass: '✅ ', Fail: '❌ ', Error: '⚠️ ' };

function workflowTable(workflows: readonly WorkflowReport[]): string[] {
  if (workflows.length === 0) return [];
  const rows = workflows.map(
    ({ namespace, name, phase, progress = '' }) =>
      `| ${cell(`${namespace}/${name}`)} | ${cell(phase)} | ${cell(progress)} |`,
  );
  return ['', '| workflow | phase | steps |', '| --- | --- | --- |', ...rows];
}

/** What probes measured, and why an experiment did not pass. */
function story(engine: EngineReport, experiment: ExperimentReport): string[] {
  const found = [
    ...reasonsOf(experiment),
    ...(experiment.verdict === 'Pass'
      ? experiment.probes.flatMap(({ name: probe, type, summary }) =>
          summary === undefined ? [] : [`${probe}: ${summaryWords(summary, type)}`],
        )
      : []),
    ...(experiment.workloads ?? []).flatMap(({ text }) => text ?? []),
    ...(experiment.pressure?.text === undefined ? [] : [experiment.pressure.text]),
  ];
  if (found.length === 0) return [];
  return [
    '',
    `**${plain(`${engineText(engine)}: ${experiment.name}`)}**`,
    '',
    ...found.map((one) => `- ${plain(one)}`),
  ];
}

/** Text in which nothing is a mark of Markdown or HTML. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_[\]<>#]/g, (mark) => (mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : `\\${mark}`));
}

function cell(text: string): string {
  return plain(text).replaceAll('|', '\\|');
}

/** Text as it is, also where it holds fences. */
function block(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...text.split('\n'), fence];
}

/** Commands of GitHub's runner that mark what did not pass, at the file and line where that is known. Pure. */
export function toAnnotations({ engines, failure }: RunReport): string[] {
  const ofExperiments = engines.flatMap((engine) =>
    engine.experiments
      .filter(({ verdict }) => verdict === 'Fail' || verdict === 'Error' || verdict === 'Stopped')
      .map((one) => {
        const reasons = reasonsOf(one).join('\n') || `verdict ${one.verdict}`;
        return annotation({ title: `${engineText(engine)}: ${one.name}` }, reasons);
      }),
  );
  const ofFailure =
    failure === undefined
      ? []
      : failure.problems === undefined
        ? [annotation({ title: `Chaos could not run (${failure.code})` }, failure.message)]
        : failure.problems.map(({ file, line, code, text }) =>
            annotation({ file, ...(line !== undefined && { line: String(line) }), title: code }, text),
          );
  return [...ofExperiments, ...ofFailure];
}

/** `::error file=…,line=…,title=…::text`, with what would end a part of it written as the runner reads it. */
function annotation(properties: Readonly<Record<string, string>>, text: string): string {
  const data = (value: string): string =>
    value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (value: string): string => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const parts = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
  return `::error ${parts.join(',')}::${data(text)}`;
}

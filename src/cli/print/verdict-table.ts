import { asOneLine } from '@turnsole/kube/text/visible';
import { SMALL_SHARE } from '../../chaos/no-effect.ts';
import { summaryWords } from '../../chaos/probe-words/summary-words.ts';
import type { EngineReport, ExperimentReport } from '../../services/report/model.ts';
import { passDoubt } from '../../services/report/outcome/judged.ts';
import { engineText, reasonsOf } from '../../services/report/reasons.ts';
import type { Style } from './style.ts';

const HEADER = ['ENGINE', 'EXPERIMENT', 'VERDICT', 'PROBES', 'TOOK', 'TARGETS'] as const;

/** The verdict table of a run: one line per experiment, and below each that did not pass the reason. */
export function formatVerdictTable(engines: readonly EngineReport[], style: Style): string[] {
  const rows = engines.flatMap((engine) => engine.experiments.map((experiment) => row(engine, experiment)));
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string[] =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  const output = [style('bold', line(HEADER).join('  ').trimEnd())];
  for (const engine of engines) {
    const place = asOneLine(engineText(engine));
    for (const experiment of engine.experiments) {
      const cells = line(row(engine, experiment));
      cells[2] = style(verdictStyle(experiment.verdict), cells[2] ?? '');
      output.push(cells.join('  ').trimEnd());
      output.push(...codedReasons(experiment).map((reason) => below(reason, style)));
      output.push(...foundWords(experiment).map((found) => below(found, style)));
      for (const { text } of experiment.workloads ?? []) {
        if (text !== undefined) output.push(below(text, style));
      }
      if (experiment.coverage !== undefined) output.push(below(experiment.coverage.text, style));
      const doubt = passDoubt(experiment);
      const doubts = doubt === undefined ? [] : [`warning: passed, but ${doubt}`];
      const { text: overload } = experiment.pressure ?? {};
      const overloads = overload === undefined ? [] : [`warning: ${overload}`];
      const warnings = [...doubts, ...effectless(experiment), ...overloads].map((warning) =>
        style('yellow', asOneLine(warning)),
      );
      output.push(...warnings.map((warning) => `  ${style('dim', '└')} ${warning}`));
    }
    if (engine.dryRun === true) {
      output.push(
        `${style('yellow', place)}: dry run (spec.dryRun); nothing was injected, and N/A is no pass`,
      );
    }
    if (engine.reason !== undefined) {
      output.push(`${style('red', place)}: ${asOneLine(engine.reason)}`);
    }
  }
  return output;
}

/** The first of the reasons ends with the code of the error, as other messages of the command do. */
function codedReasons(experiment: ExperimentReport): string[] {
  const { reason, errorCode } = experiment;
  return reasonsOf(experiment).map((one, index) =>
    index === 0 && reason !== undefined && errorCode !== undefined ? `${one} [${errorCode}]` : one,
  );
}

function row(engine: EngineReport, experiment: ExperimentReport): string[] {
  const passed = experiment.probes.filter((probe) => probe.verdict === 'Passed').length;
  const targets = experiment.targets.map((target) => `${target.kind}/${target.name} ${target.status}`);
  return [
    engineText(engine),
    experiment.iteration === undefined ? experiment.name : `${experiment.name} (${experiment.iteration})`,
    experiment.verdict,
    experiment.probes.length === 0 ? '-' : `${passed}/${experiment.probes.length}`,
    took(experiment),
    targets.length === 0 ? '-' : targets.join(', '),
  ].map(asOneLine);
}

/** A line below an experiment's own. */
function below(text: string, style: Style): string {
  return `  ${style('dim', '└')} ${asOneLine(text)}`;
}

function took(experiment: ExperimentReport): string {
  if (experiment.startedAt === undefined || experiment.endedAt === undefined) return '-';
  return `${((Date.parse(experiment.endedAt) - Date.parse(experiment.startedAt)) / 1000).toFixed(1)}s`;
}

/** What the probes that passed measured; a reason has that of those that failed. */
function foundWords({ probes }: ExperimentReport): string[] {
  return probes.flatMap(({ name, type, verdict, summary }) =>
    verdict === 'Passed' && summary !== undefined ? [`${name}: ${summaryWords(summary, type)}`] : [],
  );
}

/** Targets on which nothing happened, or next to nothing of what was asked for: a pass says little then. */
function effectless({ effects = [], effectUnknown = [] }: ExperimentReport): string[] {
  return [
    ...effects
      .filter(({ seen, share = 1 }) => !seen || share < SMALL_SHARE)
      .map(
        ({ seen, target, message }) => `warning: ${seen ? 'little' : 'no'} effect on ${target}: ${message}`,
      ),
    ...effectUnknown.map((target) => `warning: whether there was an effect on ${target} is not known`),
  ];
}

function verdictStyle(verdict: string): Parameters<Style>[0] {
  if (verdict === 'Pass') return 'green';
  return verdict === 'Stopped' || verdict === 'N/A' ? 'yellow' : 'red';
}

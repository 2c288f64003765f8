import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BadInputError, CommandError, type InputProblem } from '../errors.ts';
import { writeWhole } from '../write-whole.ts';
import { toJUnit } from './junit.ts';
import type { RunReport } from './model.ts';

/** Files that a run writes on request. */
interface ReportFiles {
  readonly json?: string;
  readonly junit?: string;
}

/**
 * Looks whether the reports can be written, before chaos whose report would then be lost.
 *
 * @throws BadInputError with every file that cannot
 */
export async function checkReportFiles({ json, junit }: ReportFiles): Promise<void> {
  const checked = [json, junit].map((file) => (file === undefined ? undefined : problemOf(file)));
  const problems = (await Promise.all(checked)).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new BadInputError(problems);
}

async function problemOf(file: string): Promise<InputProblem | undefined> {
  try {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory())
      return { file, code: 'REPORT_FILE', message: 'is a folder; give the name of a file for the report' };
    await access(found === undefined ? dirname(file) : file, constants.W_OK);
    return undefined;
  } catch (error) {
    return {
      file,
      code: 'REPORT_FILE',
      message: `the report cannot be written: ${(error as Error).message}`,
    };
  }
}

/**
 * Writes the reports that were asked for, each even if another one cannot be written.
 *
 * @throws CommandError (could not run) with every file that cannot, such as on a full disk
 */
export async function writeReports(report: RunReport, { json, junit }: ReportFiles): Promise<void> {
  const texts = [
    ...(json === undefined ? [] : [{ file: json, text: `${JSON.stringify(report, null, 2)}\n` }]),
    ...(junit === undefined ? [] : [{ file: junit, text: toJUnit(report) }]),
  ];
  const outcomes = await Promise.allSettled(texts.map(({ file, text }) => writeWhole(file, text)));
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'fulfilled' ? [] : [{ file: texts[index]?.file, error: outcome.reason as Error }],
  );
  if (failures.length === 0) return;
  const lines = failures.map(({ file, error }) => `cannot write the report ${file}: ${error.message}`);
  throw new CommandError(lines.join('\n'), 'FILE_NOT_WRITTEN', { cause: failures[0]?.error });
}

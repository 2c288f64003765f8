import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { complain } from '../process/complain.ts';
import { packageVersion } from '../process/version.ts';
import type { Artifact } from '../services/artifacts/collect.ts';
import { failureReport } from '../services/report/failure.ts';
import { checkReportFiles, writeReports } from '../services/report/files.ts';
import { toJUnit } from '../services/report/junit.ts';
import type { RunReport } from '../services/report/model.ts';
import { toAnnotations, toMarkdown } from '../services/report/summary.ts';
import { refusePlanted, writeWhole } from '../services/write-whole.ts';

/** Where a run's outcome is written. */
interface RunOutputOptions {
  readonly junit?: string;
  readonly json?: string;
  /** Folder for everything that explains the outcome. */
  readonly artifacts?: string;
}

/** The reports of one run, which are written once: with its verdicts, or with why there are none. */
export class RunOutput {
  readonly #options: RunOutputOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #startedAt = new Date().toISOString();
  #isWritten = false;

  constructor(options: RunOutputOptions, env: NodeJS.ProcessEnv) {
    this.#options = options;
    this.#env = env;
  }

  /** @throws CommandError with every report that cannot be written */
  async write(report: RunReport): Promise<void> {
    this.#isWritten = true;
    await this.#tell(report);
    if (this.#options.artifacts !== undefined) {
      await this.keep([
        { path: 'report.json', text: `${JSON.stringify(report, null, 2)}\n` },
        { path: 'junit.xml', text: toJUnit(report) },
        { path: 'summary.md', text: toMarkdown(report) },
      ]);
    }
    await writeReports(report, this.#options);
  }

  /** Writes the reports of a run that ends with an error, unless its verdicts are written. Never rejects: the error matters more. */
  async writeFailure(error: unknown): Promise<void> {
    if (this.#isWritten) return;
    const endedAt = new Date().toISOString();
    const report = failureReport(error, { turnsole: packageVersion(), startedAt: this.#startedAt, endedAt });
    try {
      // The error may be that these cannot be written.
      await checkReportFiles(this.#options);
      await this.write(report);
    } catch (cause) {
      if (cause !== error) complain(`no report is written: ${messageOf(cause)}`);
    }
  }

  /** Keeps files in the folder of artifacts; one that cannot be written is reported, and costs no verdict. */
  async keep(files: readonly Artifact[]): Promise<void> {
    const { artifacts } = this.#options;
    if (artifacts === undefined) return;
    try {
      await refusePlanted(artifacts);
      for (const { path, text } of files) {
        const file = join(artifacts, path);
        await mkdir(dirname(file), { recursive: true });
        await writeWhole(file, text);
      }
    } catch (error) {
      complain(`artifacts are not complete: ${messageOf(error)}`);
    }
  }

  get keepsArtifacts(): boolean {
    return this.#options.artifacts !== undefined;
  }

  /** Tells services that show such things: a summary of the job, and marks at files and verdicts. */
  async #tell(report: RunReport): Promise<void> {
    const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY = '' } = this.#env;
    if (GITHUB_ACTIONS === 'true')
      for (const line of toAnnotations(report)) process.stdout.write(`${line}\n`);
    if (GITHUB_STEP_SUMMARY === '') return;
    await appendFile(GITHUB_STEP_SUMMARY, toMarkdown(report)).catch((error: unknown) =>
      complain(`no summary of the job is written: ${messageOf(error)}`),
    );
  }
}

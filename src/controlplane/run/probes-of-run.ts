import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { type Context, memberOf } from '../access/context.ts';
import { found } from '../access/refusal.ts';
import { modeOf } from '../probe/executions-of.ts';
import { asProbe } from '../probe/probe-answers.ts';
import { probeRows } from '../probe/probe-rows.ts';
import type { GetProbesInExperimentRunResponse } from '../schema/generated/types.ts';
import { isFaultNamed } from './fault.ts';
import { type ProbeVerdict, probeVerdicts } from './probe-verdicts.ts';
import { executionTextOf, faultsOf, findRun } from './run-rows.ts';

/** The project's probes in a fault of a run, each with its verdict. @throws Refusal */
export async function probesOfRun(
  runID: string,
  faultName: string,
  context: Context,
): Promise<GetProbesInExperimentRunResponse[]> {
  const { project } = memberOf(context);
  const db = context.plane.store.read;
  const run = found(await findRun(db, project, { runID, notifyID: runID }), 'no matching experiment run');
  const faults = await faultsOf(db, project, run.revision_id);
  const fault = faults.find((one) => isFaultNamed(one, faultName));
  if (fault === undefined) return [];
  const data = readExecutionData((await executionTextOf(db, run.key)) ?? '');
  const verdicts = probeVerdicts(fault, faults, data);
  const rows = await probeRows(
    db,
    project,
    verdicts.map(({ name }) => name),
  );
  return verdicts.flatMap((verdict) => {
    const row = rows.find(({ name }) => name === verdict.name);
    return row === undefined ? [] : [answer(verdict, asProbe(row))];
  });
}

function answer(
  { mode, verdict, description }: ProbeVerdict,
  probe: GetProbesInExperimentRunResponse['probe'],
): GetProbesInExperimentRunResponse {
  return {
    probe,
    mode: modeOf({ mode }),
    status: { verdict, description },
  };
}

import { audit } from '../access/audit.ts';
import { type Context, memberOf } from '../access/context.ts';
import { askOwn } from '../infra/live/ask-own.ts';
import { AnswerReader } from '../infra/live/read-answer.ts';
import type { ProbeRequest, ProbeTrial } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { entryOfRequest } from './probe-request.ts';

/** Tries a probe once by the agent of an infrastructure. @throws Refusal if the agent is disconnected, cannot do it, or does not allow it */
export async function tryProbe(infra: string, request: ProbeRequest, context: Context): Promise<ProbeTrial> {
  const { project } = memberOf(context);
  const probe = entryOfRequest(request);
  const question = { infra, type: 'try_probe', data: { probe }, ability: 'try probes' } as const;
  const trial = readTrial(await askOwn(question, context));
  const after = { infraID: infra, tried: probe, outcome: trial.outcome };
  await context.transaction(projectScope(project), (tx) =>
    audit(tx, context, { project, kind: 'probe', id: request.name, after }),
  );
  return trial;
}

/** Reads an agent's trial. Pure. */
function readTrial(answer: Readonly<Record<string, unknown>>): ProbeTrial {
  const trial = new AnswerReader(answer);
  return {
    outcome: trial.word('outcome', ['Error', 'Passed', 'Failed']),
    text: trial.text('text'),
    code: trial.textOrNull('code'),
    milliseconds: trial.count('milliseconds'),
  };
}

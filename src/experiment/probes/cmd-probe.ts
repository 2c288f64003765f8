/** cmdProbe: runs a shell command in the experiment pod, or in a pod of its own, and judges its output. */

import { firstLine } from '@turnsole/kube/text/first-line';
import type { Probe } from '../../api/schema/probe.ts';
import { errorCode, failureCode } from './codes.ts';
import { type ComparatorSpec, compare } from './comparator.ts';
import { type Measurement, measuredValue } from './outcome.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import { runShell, type ShellResult } from './shell.ts';
import type { SourcePod } from './source-pod.ts';

const KEY = 'cmdProbe/inputs';
const TYPE = 'cmdProbe';
/** Of a command, in messages. */
const COMMAND_SHOWN = 120;

/** Gives the type; see {@link ProbeKind}. */
export function createCmdProbe(): ProbeKind {
  const pods = new Map<Probe, SourcePod>();
  return {
    prepare: async (probe, context) => {
      const source = probe[KEY]?.source ?? undefined;
      if (source === undefined) return undefined;
      const { startSourcePod } = await import('./source-pod.ts');
      const pod = await startSourcePod(source, context);
      pods.set(probe, pod);
      return async () => {
        pods.delete(probe);
        await pod.remove();
      };
    },
    subject: (probe, render) => `command '${firstLine(render(probe[KEY]?.command ?? ''), COMMAND_SHOWN)}'`,
    measure: (probe, context) => measure(probe, context, pods.get(probe)),
  };
}

async function measure(
  probe: Probe,
  { render, env, signal, onProcess }: MeasureContext,
  pod: SourcePod | undefined,
): Promise<Measurement> {
  const inputs = probe[KEY];
  if (inputs === undefined) throw new Error(`${KEY} is missing`);
  const command = render(inputs.command);
  const result =
    pod === undefined ? await runShell(command, { env, signal, onProcess }) : await pod.run(command, signal);
  return judge(result, inputs.comparator);
}

/** An exit code other than 0 is an error whatever the output; the output of others is compared. Pure. */
function judge({ exitCode, killedBy, stdout, stderr }: ShellResult, spec: ComparatorSpec): Measurement {
  const output = stdout.trim();
  const errors = stderr.trim();
  if (exitCode !== 0) {
    const end = exitCode === undefined ? `was killed by ${killedBy}` : `ended with exit code ${exitCode}`;
    const reason = `the command ${end}; stdout: '${output}', stderr: '${errors}'`;
    const failure = exitCode === undefined ? `killed by ${killedBy}` : `exit code ${exitCode}`;
    return { outcome: 'error', code: errorCode(TYPE), reason, failure };
  }
  const comparison = compare(spec, output);
  const number = spec.type === 'string' ? undefined : measuredValue(output);
  const measured = number === undefined ? {} : { measured: number };
  switch (comparison.outcome) {
    case 'match': {
      const description = `Actual value: '${output}'. Expected value: '${spec.value}'`;
      return { outcome: 'passed', description, output, ...measured };
    }
    case 'mismatch':
      // The command's own message about the failure is worth more than the comparison, as upstream has it.
      return {
        outcome: 'failure',
        code: failureCode(TYPE),
        reason: errors === '' ? comparison.reason : errors,
        failure: 'other output',
        ...measured,
      };
    case 'error':
      return { outcome: 'error', code: errorCode(TYPE), reason: comparison.reason };
  }
}

/** cmdProbe: runs a shell command in the experiment pod, or in a pod of its own, and judges its output. */
import type { CmdProbeInputs, Probe } from '../api/schema/probe.ts';
import { type FieldError, required } from '../api/validation/field-error.ts';
import { errorCode, failureCode } from './codes.ts';
import { type ComparatorSpec, comparatorType, compare } from './comparator.ts';
import { comparatorErrors } from './comparison-errors.ts';
import type { Measurement } from './outcome.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import { runShell, type ShellResult } from './shell.ts';
import type { SourcePod } from './source-pod.ts';

const KEY = 'cmdProbe/inputs';
const TYPE = 'cmdProbe';

/** Gives the type; see {@link ProbeKind}. */
export function createCmdProbe(): ProbeKind {
  const pods = new Map<Probe, SourcePod>();
  return {
    check: async (probe) => check(probe[KEY]),
    templates: (probe) => [{ path: [KEY, 'command'], text: probe[KEY]?.command ?? '' }],
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
    measure: (probe, context) => measure(probe, context, pods.get(probe)),
  };
}

function check(inputs: CmdProbeInputs | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if ((inputs?.command ?? '').trim() === '')
    errors.push(required([KEY, 'command'], 'the shell command to run'));
  if (inputs?.source && !inputs.source.image) {
    errors.push(required([KEY, 'source', 'image'], 'the image of the pod that runs the command'));
  }
  const comparator = inputs?.comparator ?? undefined;
  const path = [KEY, 'comparator'];
  if (comparator === undefined) return [...errors, required(path, 'give type, criteria and value')];
  const paths = { type: [...path, 'type'], criteria: [...path, 'criteria'], value: [...path, 'value'] };
  return [...errors, ...comparatorErrors({ ...texts(comparator), paths })];
}

function texts({ type, criteria, value }: CmdProbeInputs['comparator']): {
  type: string;
  criteria: string;
  value: string;
} {
  return { type: String(type ?? ''), criteria: String(criteria ?? ''), value: String(value ?? '') };
}

async function measure(
  probe: Probe,
  { render, env, signal }: MeasureContext,
  pod: SourcePod | undefined,
): Promise<Measurement> {
  const inputs = probe[KEY];
  if (inputs === undefined) throw new Error(`${KEY} is missing`);
  const { type, criteria, value } = texts(inputs.comparator);
  const known = comparatorType(type);
  if (known === undefined) throw new Error(`${KEY}: unknown comparator type '${type}'`);
  const command = render(inputs.command);
  const result =
    pod === undefined ? await runShell(command, { env, signal }) : await pod.run(command, signal);
  return judge(result, { type: known, criteria, value });
}

/** An exit code other than 0 is an error whatever the output; the output of others is compared. Pure. */
function judge({ exitCode, killedBy, stdout, stderr }: ShellResult, spec: ComparatorSpec): Measurement {
  const output = stdout.trim();
  const errors = stderr.trim();
  if (exitCode !== 0) {
    const end = exitCode === undefined ? `was killed by ${killedBy}` : `ended with exit code ${exitCode}`;
    const reason = `the command ${end}; stdout: '${output}', stderr: '${errors}'`;
    return { outcome: 'error', code: errorCode(TYPE), reason };
  }
  const comparison = compare(spec, output);
  switch (comparison.outcome) {
    case 'match': {
      const description = `Actual value: '${output}'. Expected value: '${spec.value}'`;
      return { outcome: 'passed', description, output };
    }
    case 'mismatch':
      // What the command itself says about the failure is worth more than the comparison, as upstream has it.
      return {
        outcome: 'failure',
        code: failureCode(TYPE),
        reason: errors === '' ? comparison.reason : errors,
      };
    case 'error':
      return { outcome: 'error', code: errorCode(TYPE), reason: comparison.reason };
  }
}

/** cmdProbe: runs a shell command in the experiment pod and judges its output. */
import type { CmdProbeInputs, Probe } from '../api/schema/probe.ts';
import { type FieldError, forbidden, required } from '../api/validation/field-error.ts';
import { errorCode, failureCode } from './codes.ts';
import { type ComparatorSpec, comparatorType, compare } from './comparator.ts';
import { comparatorErrors } from './comparison-errors.ts';
import type { Measurement } from './outcome.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import { runShell, type ShellResult } from './shell.ts';

const KEY = 'cmdProbe/inputs';
const TYPE = 'cmdProbe';

/** Gives the type; see {@link ProbeKind}. */
export function createCmdProbe(): ProbeKind {
  return {
    check: async (probe) => check(probe[KEY]),
    templates: (probe) => [{ path: [KEY, 'command'], text: probe[KEY]?.command ?? '' }],
    measure,
  };
}

function check(inputs: CmdProbeInputs | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if ((inputs?.command ?? '').trim() === '')
    errors.push(required([KEY, 'command'], 'the shell command to run'));
  if (inputs?.source !== undefined && inputs.source !== null) {
    errors.push(
      forbidden(
        [KEY, 'source'],
        'running the command in a pod of its own is not supported yet; leave source out to run it in the experiment pod',
      ),
    );
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

async function measure(probe: Probe, { render, env, signal }: MeasureContext): Promise<Measurement> {
  const inputs = probe[KEY];
  if (inputs === undefined) throw new Error(`${KEY} is missing`);
  const { type, criteria, value } = texts(inputs.comparator);
  const known = comparatorType(type);
  if (known === undefined) throw new Error(`${KEY}: unknown comparator type '${type}'`);
  const result = await runShell(render(inputs.command), { env, signal });
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

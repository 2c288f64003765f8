import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CmdProbeInputs } from '../../api/schema/probe.ts';
import { createCmdProbe } from './cmd-probe.ts';
import type { Measurement } from './outcome.ts';
import { cmdProbe, measureContext } from './testing/builders.ts';

function run(command: string, comparator: CmdProbeInputs['comparator']): Promise<Measurement> {
  const probe = { ...cmdProbe(command, ''), 'cmdProbe/inputs': { command, comparator } };
  return createCmdProbe().measure(probe, measureContext());
}

const equals = (value: string): CmdProbeInputs['comparator'] => ({
  type: 'string',
  criteria: 'equal',
  value,
});

test('trimmed output is compared', async () => {
  assert.deepEqual(await run('printf "  ok\\n\\n"', equals('ok')), {
    outcome: 'passed',
    description: "Actual value: 'ok'. Expected value: 'ok'",
    output: 'ok',
  });
  assert.deepEqual(await run('echo 3', { type: 'int', criteria: '<', value: '3' }), {
    outcome: 'failure',
    code: 'CMD_PROBE_FAILURE',
    reason: 'Actual value: 3. Expected value: lesser than 3',
    failure: 'other output',
    measured: { what: 'value', value: 3 },
  });
  assert.equal(
    (await run('echo 0.5', { type: 'float', criteria: 'between', value: '0,1' })).outcome,
    'passed',
  );
});

test('what the command says on stderr is the reason of a failure', async () => {
  assert.deepEqual(
    await run('echo 3; echo three is too many >&2', { type: 'int', criteria: '<', value: '3' }),
    {
      outcome: 'failure',
      code: 'CMD_PROBE_FAILURE',
      reason: 'three is too many',
      failure: 'other output',
      measured: { what: 'value', value: 3 },
    },
  );
  assert.equal((await run('echo ok; echo noise >&2', equals('ok'))).outcome, 'passed');
});

test('a command that fails is an error, whatever it wrote', async () => {
  assert.deepEqual(await run('echo ok; echo broken >&2; exit 3', equals('ok')), {
    outcome: 'error',
    code: 'CMD_PROBE_ERROR',
    reason: "the command ended with exit code 3; stdout: 'ok', stderr: 'broken'",
    failure: 'exit code 3',
  });
  const killed = await run('kill -TERM $$', equals('ok'));
  assert.match(killed.outcome === 'error' ? killed.reason : '', /^the command was killed by SIGTERM/);
});

test('output that is no number is an error that says so', async () => {
  assert.deepEqual(await run('echo many', { type: 'int', criteria: '>', value: '3' }), {
    outcome: 'error',
    code: 'CMD_PROBE_ERROR',
    reason: 'Actual value: many. Expected value: a whole number (comparator type int)',
  });
});

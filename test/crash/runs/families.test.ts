import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApiPulse } from '../../../src/experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../../../src/experiment/injection/settings/common-tunables.ts';
import { compileSettings } from '../../../src/experiment/injection/settings/compile-settings.ts';
import { faultRegistry } from '../../../src/faults/index.ts';
import { FAMILIES, type FaultChoice } from './families.ts';
import { CRASH_FAULTS } from './faults.ts';

const CHOICES: readonly FaultChoice[] = Object.values(FAMILIES).flat();
/** Kernels with netem have tests of their own (test/netem). */
const NEED_NETEM = ['pod-network-corruption', 'pod-network-duplication'];

test('every fault is in a family', async () => {
  const chosen = new Set(CHOICES.map(({ name }) => name));
  const missing: string[] = [];
  for (const [name, load] of faultRegistry) {
    // Those of clouds have a suite of their own (test/crash/cloud).
    if (!chosen.has(name) && (await load()).targets !== 'resources') missing.push(name);
  }
  assert.deepEqual(missing.sort(), NEED_NETEM);
});

test('a family says of its faults what they are, and gives them settings they take', async () => {
  for (const { name, where, env, instant = false } of CHOICES) {
    const fault = await (faultRegistry.get(name) ?? CRASH_FAULTS.get(name))?.();
    assert.ok(fault, name);
    assert.equal(fault.where, where, name);
    // A witness stays in force, whatever the pulses beside it are.
    const witness = isApiPulse(fault) ? fault.witness : undefined;
    assert.equal(instant, fault.shape === 'pulse' && witness === undefined, name);
    const filled = Object.entries(env).map(([key, value]) => [
      key,
      value.replace(/\{(app|node)\}/g, 'name-1'),
    ]);
    const { problems } = compileSettings(fault, Object.fromEntries(filled), () => 0);
    assert.deepEqual(problems, [], name);
    const unknown = Object.keys(env).filter((key) => !(key in fault.tunables || key in COMMON_TUNABLES));
    assert.deepEqual(unknown, [], name);
  }
});

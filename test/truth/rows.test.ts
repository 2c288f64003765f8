import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAMILIES, type Row } from './row.ts';
import { ROWS } from './rows/index.ts';
import { pairOf } from './table.ts';

const twins = Object.entries(
  Object.groupBy(
    ROWS.filter(({ twin }) => twin !== undefined),
    ({ name }) => pairOf(name),
  ),
);

test('there are at least sixty pairs, and rows of every family and mode', () => {
  assert.ok(twins.length >= 60, String(twins.length));
  for (const family of FAMILIES)
    assert.ok(
      ROWS.some((row) => row.family === family),
      family,
    );
  for (const mode of ['SOT', 'EOT', 'Edge', 'Continuous', 'OnChaos']) {
    assert.ok(
      ROWS.some(({ check }) => check.endsWith(mode)),
      mode,
    );
  }
  for (const type of ['http', 'cmd', 'k8s', 'prom'])
    assert.ok(
      ROWS.some(({ check }) => check.startsWith(type)),
      type,
    );
});

test('no two rows have one name', () => {
  const names = ROWS.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
});

test('twins differ in the one property that decides, and in nothing else', () => {
  for (const [name, rows = []] of twins) {
    const [one, other, ...more] = rows;
    assert.ok(one?.twin !== undefined && other?.twin !== undefined && more.length === 0, name);
    assert.deepEqual([one.twin.is, other.twin.is], ['resilient', 'fragile'], name);
    assert.notEqual(one.truth.verdict, other.truth.verdict, name);
    assert.deepEqual(settings(one), settings(other), name);
    const paths = differences(one.applications, other.applications);
    assert.equal(paths.length, 1, `${name}: ${paths.join(', ')}`);
    assert.ok(paths[0]?.endsWith(one.twin.property), `${name}: ${paths[0]}`);
  }
});

/** All of a row but what twins may differ in. */
function settings(row: Row) {
  const { name: _name, twin: _twin, truth: _truth, applications: _applications, ...others } = row;
  return others;
}

/** Where two values differ: paths with dots. Lists that are not of objects are single values. */
function differences(one: unknown, other: unknown, path = ''): string[] {
  if (!isParted(one) || !isParted(other)) return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], path === '' ? key : `${path}.${key}`));
}

function isParted(value: unknown): value is Record<string, unknown> {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'object');
  return typeof value === 'object' && value !== null;
}

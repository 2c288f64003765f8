import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Latencies } from './latencies.ts';

const SHARES = [0.01, 0.5, 0.95, 0.99, 1];

test('percentiles are off by 1 % at most, the maximum is exact', () => {
  const latency = fc.double({ min: 0.1, max: 3_600_000, noNaN: true });
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), (values) => {
      const latencies = new Latencies();
      for (const value of values) latencies.add(value);
      const sorted = values.toSorted((a, b) => a - b);
      for (const share of SHARES) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
        const found = latencies.percentile(share) ?? Number.NaN;
        assert.ok(Math.abs(found - exact) <= exact * 0.0101, `${share}: ${found} for ${exact}`);
      }
      assert.equal(latencies.maxMs, sorted.at(-1));
    }),
  );
});

test('without latencies there is no percentile; 0 and what takes days are counted too', () => {
  const latencies = new Latencies();
  assert.deepEqual([latencies.percentile(0.5), latencies.maxMs, latencies.count], [undefined, undefined, 0]);
  latencies.add(0);
  latencies.add(1e9);
  assert.deepEqual([latencies.percentile(0.5), latencies.maxMs, latencies.count], [0.1, 1e9, 2]);
});

test('a copy does not change with its original', () => {
  const latencies = new Latencies();
  latencies.add(5);
  const copy = latencies.copy();
  latencies.add(500);
  assert.deepEqual([copy.count, copy.maxMs], [1, 5]);
});

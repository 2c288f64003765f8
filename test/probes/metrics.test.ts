/** Metrics that an agent asks of a real Prometheus. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { metricsRequest } from '../../src/components/subscriber/commands/metrics-request.ts';
import { type Metrics, prometheusMissing, startPrometheus } from './support/prometheus.ts';

interface Answer {
  readonly problem?: string;
  readonly leftOut?: number;
  readonly series?: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly values: readonly (number | null)[];
  }[];
}

const METRICS: Metrics = new Map<string, number | 'NaN' | '+Inf'>([
  ['requests{namespace="shop",pod="web-1.a"}', 90],
  ['requests{namespace="shop",pod="web-12a"}', 7],
  ...Array.from({ length: 12 }, (_, n): [string, number] => [`many{n="${n}"}`, n]),
  ['nothing', 'NaN'],
  ['endless', '+Inf'],
]);

describe('a real Prometheus', { skip: prometheusMissing }, () => {
  test('series over a span, those of some pods only, gaps, too many series, and what it refuses', async () => {
    await using server = await startPrometheus(METRICS);
    const request = metricsRequest({ clock: systemClock, allowed: new Set(['promProbe']) });
    // Whole seconds: the grid of the answer is that of the question.
    const toMs = Math.floor(Date.now() / 1000) * 1000;
    const span = { fromMs: toMs - 60_000, toMs, stepMs: 1_000 };
    const ask = async (...queries: string[]): Promise<readonly Answer[]> => {
      const data = { address: server.endpoint, ...span, queries };
      return ((await request(data, new AbortController().signal)) as { queries: Answer[] }).queries;
    };
    const pods = 'requests{namespace=~"shop",pod=~"(?:web-1[.]a|web-2)"}';
    const [some, nothing, many, wrong] = await ask(pods, 'nothing', 'many', 'sum(');
    assert.equal(some?.series?.length, 1);
    const { labels, values = [] } = some.series[0] ?? {};
    assert.equal(labels?.pod, 'web-1.a');
    assert.equal(values.length, 61);
    assert.equal(values[0], null, 'nothing was scraped a minute ago');
    assert.equal(
      values.findLast((value) => value !== null),
      90,
    );
    assert.deepEqual([many?.series?.length, many?.leftOut], [8, 4]);
    assert.deepEqual(new Set(nothing?.series?.flatMap((one) => one.values)), new Set([null]));
    assert.match(wrong?.problem ?? '', /^status 400, bad_data: .*parse error/);
    const [endless, missing, long, text] = await ask(
      'endless',
      'missing_metric',
      `requests{pod=~"${Array.from({ length: 500 }, (_, n) => `web-1[.]${n}`).join('|')}|web-1[.]a"}`,
      '"text"',
    );
    assert.deepEqual(new Set(endless?.series?.flatMap((one) => one.values)), new Set([null]));
    assert.deepEqual(missing, { series: [], leftOut: 0 });
    assert.equal(long?.series?.length, 1);
    assert.match(text?.problem ?? '', /^status 400, bad_data: .*string/);
  });
});

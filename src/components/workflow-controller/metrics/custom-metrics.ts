import type { Metrics } from '../../../process/metrics.ts';
import { type Measured, MetricError } from './measure.ts';

/** A metric with the values of all workflows. */
interface Registered {
  /** All uses of the name have to agree on this. */
  readonly shape: string;
  show(measured: Measured, amount: number): void;
  remove(labels: Measured['labels']): void;
}

/** A duration that goes on. */
interface Running {
  readonly measured: Measured;
  readonly startedAt: number;
}

/** The metrics that workflows define, as one page shows them. */
export class CustomMetrics {
  readonly #metrics: Metrics;
  readonly #ttlMs: () => number | undefined;
  readonly #registered = new Map<string, Registered>();
  /** When each value was last set, by name and labels. */
  readonly #setAt = new Map<string, { readonly measured: Measured; at: number }>();
  readonly #running = new Map<string, Running>();

  /** @param ttlMs a value that no workflow sets for so long is no longer shown; undefined for never */
  constructor(metrics: Metrics, ttlMs: () => number | undefined) {
    this.#metrics = metrics;
    this.#ttlMs = ttlMs;
  }

  /** Shows a value. @throws MetricError when the name is in use for something else */
  show(measured: Measured, now: number): void {
    const { value } = measured;
    if (value.kind === 'duration') return;
    this.#show(
      measured,
      value.kind === 'gauge' && value.operation === 'Sub' ? -value.amount : value.amount,
      now,
    );
  }

  /** Shows how long something lasts from now on, until {@link end}. @param id of what lasts and of its metric */
  begin(id: string, measured: Measured, startedAt: number, now: number): void {
    this.#show(measured, (now - startedAt) / 1000, now);
    this.#running.set(id, { measured, startedAt });
  }

  end(id: string, endedAt: number, now: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    this.#show(running.measured, (endedAt - running.startedAt) / 1000, now);
  }

  /** Updates all values to the present time: running durations grow, expired values are dropped. */
  refresh(now: number): void {
    for (const { measured, startedAt } of this.#running.values())
      this.#show(measured, (now - startedAt) / 1000, now);
    const ttlMs = this.#ttlMs();
    if (ttlMs === undefined) return;
    for (const [key, { measured, at }] of this.#setAt) {
      if (now - at <= ttlMs) continue;
      this.#setAt.delete(key);
      this.#registered.get(measured.name)?.remove(measured.labels);
    }
  }

  #show(measured: Measured, amount: number, now: number): void {
    const { name, labels } = measured;
    const shape = shapeOf(measured);
    const known = this.#registered.get(name) ?? this.#register(measured, shape);
    if (known.shape !== shape)
      throw new MetricError(
        `metric ${name} is in use with another help text, kind or labels: ${known.shape}`,
      );
    known.show(measured, amount);
    this.#setAt.set(`${name} ${JSON.stringify(labels)}`, { measured, at: now });
  }

  #register(measured: Measured, shape: string): Registered {
    if (this.#metrics.has(measured.name))
      throw new MetricError(`metric ${measured.name} is one of the controller; it needs another name`);
    const registered = { shape, ...this.#make(measured) };
    this.#registered.set(measured.name, registered);
    return registered;
  }

  #make({ name, help, labels, value }: Measured): Omit<Registered, 'shape'> {
    const labelNames = Object.keys(labels);
    if (value.kind === 'counter') {
      const counter = this.#metrics.counter(name, help, labelNames);
      return { show: (one, amount) => counter.inc(one.labels, amount), remove: counter.remove };
    }
    if (value.kind === 'histogram') {
      const histogram = this.#metrics.histogram(name, help, labelNames, value.buckets);
      return { show: (one, amount) => histogram.observe(amount, one.labels), remove: histogram.remove };
    }
    const gauge = this.#metrics.gauge(name, help, labelNames);
    return {
      show: (one, amount) => {
        const isSet = one.value.kind !== 'gauge' || one.value.operation === 'Set';
        if (isSet) gauge.set(amount, one.labels);
        else gauge.add(amount, one.labels);
      },
      remove: gauge.remove,
    };
  }
}

function shapeOf({ help, labels, value }: Measured): string {
  const kind = value.kind === 'duration' ? 'gauge' : value.kind;
  return JSON.stringify([
    kind,
    help,
    Object.keys(labels).toSorted(),
    value.kind === 'histogram' ? value.buckets : [],
  ]);
}

import { renameSync, writeFileSync } from 'node:fs';
import type { Service } from '@turnsole/kube/kinds/core';
import type { Clock, Random } from '@turnsole/kube/runtime/index';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type ServicePort, servicePorts } from './backends.ts';
import { type FollowedServices, followServices, knownServices } from './followed-services.ts';
import { type NamedService, nameTable } from './name-table.ts';
import { type ListenerOptions, ServiceListener } from './service-listener.ts';

/** What the service network follows and writes. */
interface ServiceNetworkOptions extends FollowedServices, ListenerOptions {
  /** File of the name table for the preload. */
  readonly hostsFile: string;
  /** Whether cluster IPs can be listened on; else names lead to endpoints. */
  readonly separateAddresses: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** A service's port was not free as it is; the sentence says what holds instead. */
  readonly onProblem: (service: Service, message: string) => void;
}

/**
 * Services as a network without a network: a TCP listener per port of each cluster IP, and the table of names.
 *
 * A port has a listener only while it has a backend, so that connecting to a service without ready pods is refused, as
 * kube-proxy has it. Each change is followed at once, and changes of one moment together.
 */
export class ServiceNetwork {
  readonly #options: ServiceNetworkOptions;
  readonly #listeners = new Map<string, ServiceListener>();
  readonly #substitutes = new Map<string, number>();
  readonly #reported = new Set<string>();
  #unsubscribe = (): void => {};
  #scheduled = false;
  #closed = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ServiceNetworkOptions) {
    this.#options = options;
    this.#writeTable([]);
  }

  /** Begins to follow services and endpoints. */
  start(): void {
    this.#unsubscribe = followServices(this.#options, () => this.#schedule());
  }

  /** Applies `mayTalk` anew: to connections that are, and to clients that wait. */
  recheck(): void {
    for (const listener of this.#listeners.values()) listener.recheck();
  }

  /** Resolves when every change seen so far is carried out; for tests. */
  async settled(): Promise<void> {
    while (this.#scheduled) await new Promise((resolve) => setImmediate(resolve));
    await this.#work;
  }

  /** Closes all listeners and connections. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    await this.#work;
    for (const listener of this.#listeners.values()) listener.close(true);
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#work = this.#work.then(() => this.#follow());
    });
  }

  async #follow(): Promise<void> {
    if (this.#closed) return;
    const named = knownServices(this.#options);
    const ports = this.#options.separateAddresses
      ? named.flatMap(({ service, endpoints }) =>
          servicePorts(service, endpoints).map((port) => ({ service, port })),
        )
      : [];
    const wanted = new Map(
      ports
        .filter(({ port }) => port.backends.length > 0)
        .map((entry) => [`${entry.port.clusterIP}:${entry.port.port}`, entry]),
    );
    for (const [key, listener] of this.#listeners) {
      if (wanted.has(key)) continue;
      listener.close(false);
      this.#listeners.delete(key);
      this.#substitutes.delete(key);
    }
    for (const [key, { service, port }] of wanted) {
      const present = this.#listeners.get(key);
      if (present === undefined) await this.#open(key, service, port);
      else present.update(port);
    }
    if (!this.#closed) this.#writeTable(named);
  }

  async #open(key: string, service: Service, port: ServicePort): Promise<void> {
    try {
      this.#listeners.set(key, await ServiceListener.open(port, this.#options));
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      await this.#openElsewhere(key, service, port, code);
    }
  }

  /** Ports below 1024 need root on most machines; Node programs then find the port that stands for it in the table. */
  async #openElsewhere(key: string, service: Service, port: ServicePort, code: string): Promise<void> {
    const why =
      code === 'EACCES'
        ? `ports below 1024 are for root on this machine`
        : code === 'EADDRINUSE'
          ? 'another program on this machine listens on it'
          : code;
    try {
      const listener = await ServiceListener.open(port, this.#options, 0);
      this.#listeners.set(key, listener);
      this.#substitutes.set(key, listener.port);
      const message =
        `cannot listen on ${key}: ${why}; served on port ${listener.port} instead, which Node programs in pods are led ` +
        'to; others have to use that port, or give the service a port above 1023 that is free';
      this.#report(key, service, message);
    } catch (error) {
      const reason = messageOf(error);
      this.#report(key, service, `cannot listen on ${key}: ${why}; nor on another port: ${reason}`);
    }
  }

  #report(key: string, service: Service, message: string): void {
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#options.onProblem(service, message);
  }

  /** Replaced as a whole, so that no reader sees half of it. */
  #writeTable(services: readonly NamedService[]): void {
    const { hostsFile, separateAddresses } = this.#options;
    const table = nameTable(services, Object.fromEntries(this.#substitutes), !separateAddresses);
    writeFileSync(`${hostsFile}.next`, JSON.stringify(table), { mode: 0o644 });
    renameSync(`${hostsFile}.next`, hostsFile);
  }
}

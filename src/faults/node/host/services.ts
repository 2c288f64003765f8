/** A service of a node that faults stop. */
export interface StoppedService {
  /** Unique for the injection; it identifies what is left on the host. */
  readonly id: string;
  readonly node: string;
  readonly service: 'kubelet' | 'runtime';
  /** Units of systemd in the order they are stopped; the last is the service itself. Unused on embedded nodes. */
  readonly units: readonly string[];
  /** After so long without a {@link HostServices.renew} the host starts it again by itself. */
  readonly reviveSeconds: number;
}

/**
 * Stops and starts services of the host that this process runs on, in a way that survives this process: the host itself has the order
 * to start them again before they are stopped, since no helper can be started there while its kubelet is dead.
 */
export interface HostServices {
  /**
   * Idempotent.
   *
   * @throws NodeError when the host has no such service, or it does not run: nothing was touched
   */
  stop(service: StoppedService, signal: AbortSignal): Promise<void>;
  /** Puts off the start by the host. */
  renew(service: StoppedService, signal: AbortSignal): Promise<void>;
  /** Idempotent; right when the service was never stopped. */
  start(service: StoppedService, signal: AbortSignal): Promise<void>;
}

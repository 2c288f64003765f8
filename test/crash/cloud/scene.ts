import type { Seeded } from '../../support/seeded.ts';

/** What a seed hits, and how it is looked at from outside. */
export interface Scene {
  readonly fault: string;
  /** Where its API is. */
  readonly api: string;
  /** Settings, with the address under which the experiment reaches the API. */
  env(address: string): Readonly<Record<string, string>>;
  /** All that the fault might change, as text. */
  state(): Promise<string>;
  /** Answers that are not the API's own. */
  answer?(asked: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }): { readonly status: number; readonly body: string } | undefined;
}

/** A vendor's API that is there for all seeds. */
export interface Peer extends AsyncDisposable {
  scene(seeded: Seeded): Promise<Scene>;
}

/** A vendor. */
export interface Vendor {
  /** Why its API cannot be had here; false when it can. */
  readonly missing: string | false;
  start(): Promise<Peer>;
}

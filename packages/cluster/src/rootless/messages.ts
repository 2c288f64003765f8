/**
 * What the process outside and the one inside say to one another, in Node's channel for processes. Inside, a cluster runs in namespaces of its
 * own; outside are its user, his terminal, and the network in which his clients are.
 */

/** From outside. */
export type Order<Options> =
  /** Once, when connections outward are there or known not to be. */
  | { readonly kind: 'start'; readonly options: Options; readonly outward: Outward }
  /** Comes with the socket that listens on the port. */
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'not-listening'; readonly message: string; readonly code: string | undefined }
  /** Asks for something; the answer has the same number. */
  | { readonly kind: 'call'; readonly call: number; readonly argument: unknown }
  | { readonly kind: 'cancel'; readonly call: number }
  | { readonly kind: 'close'; readonly graceMs: number | undefined };

/** From inside. */
export type Report<Facts> =
  /** The API server wants to be reached from outside on this port; 0: on any. */
  | { readonly kind: 'listen'; readonly port: number }
  | { readonly kind: 'ready'; readonly facts: Facts }
  /** It could not be started; `isUnfit`: because the namespaces do not do what pods need. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly code: string | undefined;
      readonly isUnfit: boolean;
    }
  | { readonly kind: 'progress'; readonly call: number; readonly text: string }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly error: Error }
  | { readonly kind: 'problem'; readonly message: string };

/** How what is inside reaches the world: the address that answers DNS for it, or why there is none. */
export type Outward = { readonly resolver: string } | { readonly missing: string };

import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { plainFieldError } from '@turnsole/kube/schema/field-error';
import type { ProbeType } from '../../api/probe-types/index.ts';
import type { Probe } from '../../api/schema/probe.ts';
import { runAttempts } from './attempts.ts';
import { type CompiledProbe, compileProbes } from './definition.ts';
import { withShortText } from './outcome.ts';
import { type AddressOf, isOfApplications } from './reachable.ts';
import { loadProbeKind } from './registry.ts';
import { subjectOf } from './subject.ts';
import { renderTemplate } from './template.ts';

/** Where a probe is tried, and with which permission. */
interface TrialOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Types that may be tried here. */
  readonly types: ReadonlySet<ProbeType>;
  /** Says of a type that is not among them what would change that. */
  readonly advice: string;
  /** Why objects of a namespace must not be read here; undefined where they may. @default all may */
  readonly refusalOf?: (namespace: string) => string | undefined;
  /** @default names are those of the network that this process is in */
  readonly addressOf?: AddressOf | undefined;
}

/** The measurement of one try. */
export interface ProbeTrial {
  readonly outcome: 'Passed' | 'Failed' | 'Error';
  readonly text: string;
  /** Unless it passed. */
  readonly code: string | null;
  readonly milliseconds: number;
}

/** A probe that is not tried here; the message says why. */
export class TrialRefusedError extends Error {
  override readonly name = 'TrialRefusedError';
}

/** However long a probe may take in a run. */
const LIMIT_MS = 10_000;

/**
 * Measures once, with one attempt, what an entry of `spec.experiments[].spec.probe` asks for, outside of any run. Nothing that a run alone
 * has is used: files and environment of its pod, pods of its own, outputs of other probes; and nothing is changed.
 *
 * @throws TrialRefusedError for what cannot be tried · the signal's reason
 */
export async function tryProbe(entry: unknown, options: TrialOptions): Promise<ProbeTrial> {
  const { client, clock, signal } = options;
  // The rules of engines check its fields, whatever it is.
  const probe = entry as Probe;
  const compiled = await checked(probe, options);
  const why = refusal(probe, compiled, options);
  if (why !== undefined) throw new TrialRefusedError(why);
  const began = performance.now();
  const limits = { ...compiled.run, attempts: 1, timeoutMs: Math.min(compiled.run.timeoutMs, LIMIT_MS) };
  const measured = await runAttempts({
    type: compiled.type,
    limits,
    clock,
    signal,
    subject: () => subjectOf(compiled, new Map()),
    measure: (attemptSignal, onProcess) =>
      compiled.kind.measure(probe, {
        client,
        clock,
        // Nothing of this program's own environment is passed on: it holds keys.
        env: {},
        signal: attemptSignal,
        onProcess,
        limits,
        chaosSinceMs: undefined,
        render: (text) => renderTemplate(text, new Map()),
        mayReach: isOfApplications,
        addressOf: options.addressOf,
      }),
  });
  const milliseconds = Math.round(performance.now() - began);
  const short = withShortText(measured);
  if (short.outcome === 'passed')
    return { outcome: 'Passed', text: short.description, code: null, milliseconds };
  return {
    outcome: short.outcome === 'failure' ? 'Failed' : 'Error',
    text: short.reason,
    code: short.code,
    milliseconds,
  };
}

async function checked(probe: Probe, { types, advice }: TrialOptions): Promise<CompiledProbe> {
  const { compiled, problems } = await compileProbes([probe], {
    path: [],
    defaultTimeoutMs: LIMIT_MS,
    load: loadProbeKind,
  });
  const [first] = compiled;
  if (problems.length > 0 || first === undefined) {
    throw new TrialRefusedError(problems.map(({ error }) => plainFieldError(error)).join('; '));
  }
  if (types.has(first.type)) return first;
  throw new TrialRefusedError(`probes of type ${first.type} are not tried here; ${advice}`);
}

function refusal(probe: Probe, { kind }: CompiledProbe, { refusalOf }: TrialOptions): string | undefined {
  const command = probe['cmdProbe/inputs'];
  const k8s = probe['k8sProbe/inputs'];
  if (command?.source !== undefined && command.source !== null) {
    return 'a command with a pod of its own (source) runs in runs only';
  }
  if (kind.changesState?.(probe) === true) {
    return `operation ${k8s?.operation} changes the cluster; it is done in runs only`;
  }
  const file = filesOf(probe).find((path) => (path ?? '').trim() !== '');
  if (file !== undefined) return `the file ${file} is in the pod of a run, and only there`;
  return k8s === undefined ? undefined : refusalOf?.(k8s.namespace ?? '');
}

/** Paths of files that a probe reads. */
function filesOf(probe: Probe): (string | null | undefined)[] {
  const { 'httpProbe/inputs': http, 'promProbe/inputs': prom } = probe;
  const post = http?.method?.post;
  const tls = [http?.tlsConfig, prom?.tlsConfig].flatMap((config) => [
    ...[config?.caFile, config?.certFile, config?.keyFile],
  ]);
  return [
    ...tls,
    ...((post?.body ?? '') === '' ? [post?.bodyPath] : []),
    ...((prom?.query ?? '').trim() === '' ? [prom?.queryPath] : []),
  ];
}

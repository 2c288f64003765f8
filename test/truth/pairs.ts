/** Pairs: an application and its twin, which differ in exactly one property, under one fault and one check. */
import type { Probe } from '../../src/api/index.ts';
import { APP_PORT, type Application, METRICS_IMAGE } from './application.ts';
import { type CheckType, type Expectation, users, WITHIN_MS } from './probes.ts';
import type { Family, Need, Row, Truth } from './row.ts';

/** A check of a pair: type and mode of its probe, and what of the truth depends on them. */
export interface Check {
  readonly type: CheckType;
  readonly mode: Probe['mode'];
  /** Of the fragile twin. */
  readonly reason?: RegExp;
  readonly expected?: Partial<Expectation>;
}

/** A situation: a fault on an application that takes it well or not, by one property. */
export interface Situation<P extends keyof Application | `env.${string}`> {
  readonly name: string;
  readonly family: Family;
  readonly fault: string;
  readonly env: Readonly<Record<string, string>>;
  /** The application that users ask, with everything but the property. */
  readonly asked: Application;
  /** Which property of it decides, and its two values; undefined: not set. */
  readonly property: P;
  readonly resilient: PropertyOf<P>;
  readonly fragile: PropertyOf<P>;
  /** The application whose pods are hit. @default the asked one */
  readonly hit?: Application;
  readonly others?: readonly Application[];
  readonly expected?: Partial<Expectation>;
  readonly checks: readonly Check[];
  /** What the twin comes to. @default Fail, as its users were not served */
  readonly ofFragile?: Partial<Truth>;
  /** What the application comes to, beside Pass. */
  readonly ofResilient?: Partial<Truth>;
  readonly more?: Partial<
    Pick<
      Row,
      'orders' | 'workflow' | 'during' | 'nodes' | 'needs' | 'engine' | 'observed' | 'target' | 'objects'
    >
  >;
  readonly needs?: readonly Need[];
}

type PropertyOf<P extends string> = P extends keyof Application ? Application[P] : string | undefined;

/** The two rows of each check. Pure. */
export function pairs<P extends keyof Application | `env.${string}`>(situation: Situation<P>): Row[] {
  return situation.checks.flatMap((check) => [
    rowOf(situation, check, 'resilient'),
    rowOf(situation, check, 'fragile'),
  ]);
}

function rowOf<P extends keyof Application | `env.${string}`>(
  situation: Situation<P>,
  check: Check,
  is: 'resilient' | 'fragile',
): Row {
  const { name, family, fault, env, asked, property, hit, others = [], more = {} } = situation;
  const how = `${check.type} ${check.mode}`;
  const application = withProperty(asked, property, situation[is]);
  const applications = [...(hit === undefined ? [] : [hit]), ...others, application];
  const expected = { application: asked.name, ...situation.expected, ...check.expected };
  const metrics = check.type === 'prom' ? [metricsOf(expected)] : [];
  const truth: Truth =
    is === 'resilient'
      ? { verdict: 'Pass', because: `${property} is ${said(situation.resilient)}`, ...situation.ofResilient }
      : {
          verdict: 'Fail',
          because: `${property} is ${said(situation.fragile)}`,
          ...(check.reason === undefined ? {} : { reason: check.reason }),
          ...situation.ofFragile,
        };
  return {
    name: `${name}/${how}/${is}`,
    family,
    fault,
    check: how,
    twin: { is, property },
    applications: [...applications, ...metrics],
    target: (hit ?? asked).name,
    env,
    probes: [users(check.type, check.mode, expected)],
    ...more,
    truth,
  };
}

/** An application with one property more. Pure. */
export function withProperty(application: Application, property: string, value: unknown): Application {
  if (value === undefined) return application;
  if (!property.startsWith('env.')) return { ...application, [property]: value };
  return { ...application, env: { ...application.env, [property.slice('env.'.length)]: String(value) } };
}

function said(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

function metricsOf({ application, withinMs = WITHIN_MS }: Expectation): Application {
  return {
    name: 'metrics',
    image: METRICS_IMAGE,
    env: { TARGET: `http://${application}:${APP_PORT}/`, LIMIT_MS: String(withinMs) },
  };
}

/** The actions of AWS that can be called, by service and name. */

import type { autoscaling } from './services/autoscaling.ts';
import type { ec2 } from './services/ec2.ts';
import type { elb } from './services/elb.ts';
import type { elbv2 } from './services/elbv2.ts';
import type { rds } from './services/rds.ts';
import type { ssm } from './services/ssm.ts';
import type { sts } from './services/sts.ts';

/** The command of each action. `elb` and `elbv2` are both `elasticloadbalancing` in policies. */
type Commands = (typeof autoscaling)['commands'] &
  (typeof ec2)['commands'] &
  (typeof elb)['commands'] &
  (typeof elbv2)['commands'] &
  (typeof rds)['commands'] &
  (typeof ssm)['commands'] &
  (typeof sts)['commands'];

/** The name of an action: `ec2:StopInstances`. */
export type AwsAction = keyof Commands;

/** What is sent for an action. */
export type AwsInput<A extends AwsAction> = ConstructorParameters<Commands[A]>[0];

/** What comes back for an action. */
export type AwsOutput<A extends AwsAction> =
  InstanceType<Commands[A]> extends {
    resolveMiddleware(...given: never[]): (...given: never[]) => Promise<{ output: infer O }>;
  }
    ? O
    : never;

/** The clients and commands of each service, loaded when an action of it is called first. */
export const SERVICES = {
  sts: async () => (await import('./services/sts.ts')).sts,
  ec2: async () => (await import('./services/ec2.ts')).ec2,
  autoscaling: async () => (await import('./services/autoscaling.ts')).autoscaling,
  rds: async () => (await import('./services/rds.ts')).rds,
  ssm: async () => (await import('./services/ssm.ts')).ssm,
  elb: async () => (await import('./services/elb.ts')).elb,
  elbv2: async () => (await import('./services/elbv2.ts')).elbv2,
} as const;

import type { Fault } from '../../experiment/injection/fault.ts';
import { categoryOf } from '../hub/categories.ts';

/** The least that an account needs for one fault, in the form of its vendor. */
interface CloudPolicy {
  /** Below the folder of policies. */
  readonly path: string;
  readonly text: string;
}

/** What a fault needs in its cloud, from the calls that it makes: it can make no others. Undefined for faults that call none. Pure. */
export function cloudPolicy({ name, calls = [] }: Pick<Fault, 'name' | 'calls'>): CloudPolicy | undefined {
  if (calls.length === 0) return undefined;
  const { name: vendor } = categoryOf(name);
  const form = FORMS[vendor];
  if (form === undefined) throw new Error(`there is no form of policies of ${vendor} for ${name}`);
  return { path: `${vendor}/${name}.json`, text: `${JSON.stringify(form(calls, name), undefined, 2)}\n` };
}

const FORMS: Readonly<Record<string, (calls: readonly string[], fault: string) => object>> = {
  aws: (calls) => ({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: awsActions(calls), Resource: '*' }],
  }),
  // For az role definition create --role-definition.
  azure: (calls, fault) => ({
    Name: `Turnsole ${fault}`,
    IsCustom: true,
    Description: `What ${fault} asks of Azure`,
    Actions: [...calls].toSorted(),
    NotActions: [],
    AssignableScopes: ['/subscriptions/SUBSCRIPTION'],
  }),
  // For gcloud iam roles create --file.
  gcp: (calls, fault) => ({
    title: fault,
    description: `What ${fault} asks of Compute Engine`,
    stage: 'GA',
    includedPermissions: [...calls].toSorted(),
  }),
  vmware: (calls, fault) => ({ role: fault, privileges: [...calls].toSorted() }),
};

/** Actions as policies name them; who one is may be asked without a permission. Pure. */
function awsActions(calls: readonly string[]): string[] {
  const actions = calls
    .filter((call) => call !== 'sts:GetCallerIdentity')
    .map((call) => call.replace(/^elb(v2)?:/, 'elasticloadbalancing:'));
  return [...new Set(actions)].toSorted();
}

import { list, patterned } from '../../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../../experiment/injection/settings/parse-tunables.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { refuse, resourceFault } from '../resource-fault.ts';
import { RESOURCE_TUNABLES } from '../tunables.ts';
import { type AwsApi, openAwsApi } from './aws-api.ts';
import {
  addSubnets,
  balancerOf,
  lookAtZones,
  removeSubnets,
  subnetsLost,
  type ZoneParameters,
} from './load-balancers.ts';
import { AWS_CREDENTIALS, AWS_TUNABLES, regionOf } from './tunables.ts';

const CALLS = [
  'sts:GetCallerIdentity',
  'ec2:DescribeSubnets',
  'elb:DescribeLoadBalancers',
  'elb:DetachLoadBalancerFromSubnets',
  'elb:AttachLoadBalancerToSubnets',
  'elbv2:DescribeLoadBalancers',
  'elbv2:SetSubnets',
] as const;

const OWN = {
  LOAD_BALANCER_NAME: patterned(
    { pattern: '[A-Za-z0-9-]{1,32}', form: 'a name' },
    'Name of a classic load balancer.',
  ),
  LOAD_BALANCERNAME_ARN: patterned(
    {
      default: 'na',
      pattern: 'na|arn:[^:]+:elasticloadbalancing:[^:]+:\\d*:loadbalancer/.+',
      form: 'na, or an ARN',
    },
    'ARN of an application or network load balancer, which then counts in place of LOAD_BALANCER_NAME.',
  ),
  LOAD_BALANCER_ZONES: list(
    { required: true, pattern: '[a-z]{2}(-[a-z]+)+-\\d+[a-z]', form: 'zones such as eu-west-1a' },
    'Zones that the load balancer loses.',
  ),
} as const;

const TABLE = { ...RESOURCE_TUNABLES, ...OWN, ...AWS_TUNABLES } as const;
type Settings = Tunables<typeof TABLE>;

/**
 * Takes zones from a load balancer, and gives them back: what it would meet when these zones fail.
 *
 * What is touched: the subnets of the load balancer; connections to its addresses in these zones are broken off. How it is undone: the same
 * subnets are attached again, with the fixed addresses that they had. What remains if the experiment dies: the load balancer without them,
 * until recovery.
 */
export default resourceFault<typeof OWN & typeof AWS_TUNABLES, AwsApi, ZoneParameters>({
  name: 'aws-az-chaos',
  summary: 'Takes availability zones from a load balancer, and gives them back.',
  kind: 'LoadBalancer',
  tunables: TABLE,
  calls: CALLS,
  credentials: AWS_CREDENTIALS,
  words: ['take zones from', 'without its zones'],
  validate,
  open: (settings) => openAwsApi(settings, zoneRegionOf(settings), CALLS),
  select: async (api, { LOAD_BALANCER_NAME: name, LOAD_BALANCERNAME_ARN: arn }, context) => {
    const place = await api.place(context);
    // Of an ARN its last part but one is the name.
    return { names: [`${place}/${arn === 'na' ? name : nameIn(arn)}`], what: 'load balancers' };
  },
  observe: async (api, target, settings, context) => {
    const { LOAD_BALANCER_NAME: name, LOAD_BALANCERNAME_ARN: arn, LOAD_BALANCER_ZONES: zones } = settings;
    const place =
      arn === 'na'
        ? ({ balancer: name, generation: 'classic' } as const)
        : ({ balancer: arn, generation: 'v2' } as const);
    const found = await balancerOf(api, place, context);
    if (found === undefined) refuse(target, 'there is no such load balancer');
    return { ...place, region: api.region, lost: subnetsLost(target, found, zones) };
  },
  look: async (api, parameters, context) =>
    lookAtZones(await balancerOf(api, parameters, context), parameters.lost),
  take: removeSubnets,
  give: addSubnets,
});

function validate(settings: Settings): readonly TunableProblem[] {
  const { LOAD_BALANCER_NAME: name, LOAD_BALANCERNAME_ARN: arn, LOAD_BALANCER_ZONES: zones } = settings;
  const region = zoneRegionOf(settings);
  const strangers = zones.filter((zone) => zone.slice(0, -1) !== region);
  return [
    ...(name === '' && arn === 'na'
      ? [{ variable: 'LOAD_BALANCER_NAME', found: '', expected: 'a name, or LOAD_BALANCERNAME_ARN' }]
      : []),
    ...(strangers.length === 0
      ? []
      : [{ variable: 'LOAD_BALANCER_ZONES', found: strangers.join(','), expected: `zones of ${region}` }]),
  ];
}

/** The region: as it is set, else that of the ARN, else that of the first zone. Pure. */
function zoneRegionOf(settings: Settings): string {
  const { LOAD_BALANCERNAME_ARN: arn, LOAD_BALANCER_ZONES: zones } = settings;
  return (
    [
      settings.REGION,
      arn === 'na' ? '' : (arn.split(':')[3] ?? ''),
      zones[0]?.slice(0, -1) ?? '',
      regionOf(settings),
    ].find((one) => one !== '') ?? ''
  );
}

/** `…:loadbalancer/app/shop/50dc6c495c0c9188` gives `shop`. Pure. */
function nameIn(arn: string): string {
  const parts = arn.split('/');
  return parts.at(-2) ?? arn;
}

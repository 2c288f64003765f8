import { AwsWorld } from '../../faults/cloud/support/aws-world.ts';
import { motoMissing, startMoto } from '../../faults/cloud/support/moto.ts';
import { SystemsManager } from '../../faults/cloud/support/ssm.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Peer, Scene, Vendor } from './scene.ts';

const REGIONS = ['eu-west-1', 'eu-central-1', 'us-east-1', 'us-west-2', 'ap-south-1'];

/** AWS as moto serves it. */
export const aws: Vendor = { missing: motoMissing, start };

async function start(): Promise<Peer> {
  const moto = await startMoto();
  let count = 0;
  return {
    scene: (seeded) => sceneOf(moto.url, seeded, `s${count++}`),
    [Symbol.asyncDispose]: () => moto[Symbol.asyncDispose](),
  };
}

async function sceneOf(api: string, seeded: Seeded, name: string): Promise<Scene> {
  const region = seeded.pick(REGIONS);
  const world = new AwsWorld(api, region);
  const env =
    (own: Readonly<Record<string, string>>) =>
    (address: string): Readonly<Record<string, string>> => ({
      ...{ REGION: region, AWS_ENDPOINT_URL: address, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
      ...own,
    });
  switch (seeded.pick(['instances', 'tag', 'volumes', 'database', 'zones', 'command'] as const)) {
    case 'instances': {
      const ids = await world.instances(2);
      const fault = seeded.pick(['ec2-terminate-by-id', 'ec2-stop-by-id']);
      return { fault, api, env: env({ EC2_INSTANCE_ID: ids.join() }), state: () => world.states(...ids) };
    }
    case 'tag': {
      const ids = await world.instances(3, { seed: name });
      await world.instances(1);
      const own = { EC2_INSTANCE_TAG: `seed:${name}`, INSTANCE_AFFECTED_PERC: '70' };
      return { fault: 'ec2-terminate-by-tag', api, env: env(own), state: () => world.states(...ids) };
    }
    case 'volumes': {
      const [instance = ''] = await world.instances(1);
      const volumes = [
        await world.volume(instance, '/dev/sdf', seeded.chance(0.5)),
        await world.volume(instance, '/dev/sdg', seeded.chance(0.5)),
      ];
      const state = async (): Promise<string> =>
        (await Promise.all(volumes.map((volume) => world.attachment(volume)))).join('; ');
      return { fault: 'ebs-loss-by-id', api, env: env({ EBS_VOLUME_ID: volumes.join() }), state };
    }
    case 'database': {
      const id = `db-${name}`;
      await world.database(id);
      const state = async (): Promise<string> => String(await world.databaseState(id));
      return { fault: 'rds-instance-stop', api, env: env({ RDS_INSTANCE_IDENTIFIER: id }), state };
    }
    case 'zones': {
      const zones = await world.zones();
      const arn = await world.balancer(`lb-${name}`, zones);
      const own = { LOAD_BALANCERNAME_ARN: arn, LOAD_BALANCER_ZONES: zones[0] ?? '' };
      return {
        fault: 'aws-az-chaos',
        api,
        env: env(own),
        state: async () => (await world.balancerSubnets(arn)).join(),
      };
    }
    case 'command': {
      const [instance = ''] = await world.instances(1);
      const manager = new SystemsManager(instance);
      const state = (): Promise<string> =>
        Promise.resolve(`${manager.underWay} commands, ${manager.documents.size} documents`);
      const own = env({ EC2_INSTANCE_ID: instance });
      return { fault: 'aws-ssm-chaos-by-id', api, env: own, state, answer: (asked) => manager.answer(asked) };
    }
  }
}

/** A region of AWS from outside: what is in it, and what others do there. */
import {
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  CreateLaunchConfigurationCommand,
  DescribeAutoScalingGroupsCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  AttachVolumeCommand,
  CreateVolumeCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  EC2Client,
  ModifyInstanceAttributeCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  CreateLoadBalancerCommand as CreateClassicCommand,
  DescribeLoadBalancersCommand as DescribeClassicCommand,
  ElasticLoadBalancingClient,
} from '@aws-sdk/client-elastic-load-balancing';
import {
  CreateLoadBalancerCommand,
  DescribeLoadBalancersCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { CreateDBInstanceCommand, DescribeDBInstancesCommand, RDSClient } from '@aws-sdk/client-rds';

const KEY = { accessKeyId: 'another', secretAccessKey: 'another' };

/** One region. */
export class AwsWorld {
  readonly region: string;
  readonly #ec2: EC2Client;
  readonly #scaling: AutoScalingClient;
  readonly #rds: RDSClient;
  readonly #elb: ElasticLoadBalancingClient;
  readonly #elbv2: ElasticLoadBalancingV2Client;

  constructor(endpoint: string, region: string) {
    const config = { endpoint, region, credentials: KEY };
    this.region = region;
    this.#ec2 = new EC2Client(config);
    this.#scaling = new AutoScalingClient(config);
    this.#rds = new RDSClient(config);
    this.#elb = new ElasticLoadBalancingClient(config);
    this.#elbv2 = new ElasticLoadBalancingV2Client(config);
  }

  /** Starts instances. */
  async instances(count: number, tags: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const { Instances = [] } = await this.#ec2.send(
      new RunInstancesCommand({
        ImageId: await this.#image(),
        MinCount: count,
        MaxCount: count,
        ...(Tags.length === 0 ? {} : { TagSpecifications: [{ ResourceType: 'instance', Tags }] }),
      }),
    );
    return Instances.flatMap(({ InstanceId }) => InstanceId ?? []);
  }

  /** Their states, with blanks between. */
  async states(...ids: string[]): Promise<string> {
    const { Reservations = [] } = await this.#ec2.send(new DescribeInstancesCommand({ InstanceIds: ids }));
    const all = Reservations.flatMap(({ Instances = [] }) => Instances);
    return ids.map((id) => all.find(({ InstanceId }) => InstanceId === id)?.State?.Name).join(' ');
  }

  async stop(id: string): Promise<void> {
    await this.#ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  }

  async start(id: string): Promise<void> {
    await this.#ec2.send(new StartInstancesCommand({ InstanceIds: [id] }));
  }

  async terminate(id: string): Promise<void> {
    await this.#ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  }

  /** An auto-scaling group with this many instances. */
  async group(name: string, size: number): Promise<string[]> {
    const launch = { LaunchConfigurationName: name, ImageId: await this.#image(), InstanceType: 't2.micro' };
    await this.#scaling.send(new CreateLaunchConfigurationCommand(launch));
    await this.#scaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: name,
        LaunchConfigurationName: name,
        MinSize: size,
        MaxSize: size,
        AvailabilityZones: [`${this.region}a`],
      }),
    );
    return (await this.#members(name)).flatMap(({ InstanceId }) => InstanceId ?? []);
  }

  /** What a group does with an instance that is not healthy. */
  async replace(InstanceId: string): Promise<void> {
    const input = { InstanceId, ShouldDecrementDesiredCapacity: false };
    await this.#scaling.send(new TerminateInstanceInAutoScalingGroupCommand(input));
  }

  async inService(name: string): Promise<number> {
    return (await this.#members(name)).filter(({ LifecycleState }) => LifecycleState === 'InService').length;
  }

  /** A volume, attached where an instance is given. */
  async volume(
    instance?: string,
    Device = '',
    isDeletedWithIt = false,
    tags: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const made = await this.#ec2.send(
      new CreateVolumeCommand({
        AvailabilityZone: `${this.region}a`,
        Size: 1,
        ...(Tags.length === 0 ? {} : { TagSpecifications: [{ ResourceType: 'volume', Tags }] }),
      }),
    );
    const VolumeId = made.VolumeId ?? '';
    if (instance === undefined) return VolumeId;
    await this.#ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId: instance, Device }));
    const Ebs = { VolumeId, DeleteOnTermination: isDeletedWithIt };
    const BlockDeviceMappings = [{ DeviceName: Device, Ebs }];
    await this.#ec2.send(new ModifyInstanceAttributeCommand({ InstanceId: instance, BlockDeviceMappings }));
    return VolumeId;
  }

  /** How a volume is attached, in words; `available` when it is not. */
  async attachment(id: string): Promise<string> {
    const { Volumes = [] } = await this.#ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] }));
    const [volume] = Volumes;
    const [attachment] = volume?.Attachments ?? [];
    if (attachment === undefined) return volume?.State ?? 'gone';
    const { InstanceId = '', Device } = attachment;
    const instance = await this.#instance(InstanceId);
    const mapping = instance?.BlockDeviceMappings?.find(({ Ebs }) => Ebs?.VolumeId === id);
    return `${InstanceId} ${Device} ${mapping?.Ebs?.DeleteOnTermination === true ? 'deleted with it' : 'kept'}`;
  }

  /** The volume of an instance's root device. */
  async root(instance: string): Promise<string> {
    const found = await this.#instance(instance);
    const mapping = found?.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === found.RootDeviceName);
    return mapping?.Ebs?.VolumeId ?? '';
  }

  async database(DBInstanceIdentifier: string): Promise<void> {
    await this.#rds.send(
      new CreateDBInstanceCommand({
        DBInstanceIdentifier,
        DBInstanceClass: 'db.t3.micro',
        Engine: 'postgres',
        AllocatedStorage: 20,
        MasterUsername: 'shop',
        MasterUserPassword: 'shop-shop-shop',
      }),
    );
  }

  async databaseState(DBInstanceIdentifier: string): Promise<string | undefined> {
    const found = await this.#rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier }));
    return found.DBInstances?.[0]?.DBInstanceStatus;
  }

  /** A classic load balancer in these zones; gives its subnets when asked. */
  async classicBalancer(name: string, zones: readonly string[]): Promise<() => Promise<string[]>> {
    const Subnets = await this.#subnets(zones);
    const Listeners = [{ Protocol: 'http', LoadBalancerPort: 80, InstancePort: 80 }];
    await this.#elb.send(new CreateClassicCommand({ LoadBalancerName: name, Listeners, Subnets }));
    return async () => {
      const input = { LoadBalancerNames: [name] };
      const { LoadBalancerDescriptions = [] } = await this.#elb.send(new DescribeClassicCommand(input));
      return (LoadBalancerDescriptions[0]?.Subnets ?? []).toSorted();
    };
  }

  /** An application load balancer in these zones; gives its ARN. */
  async balancer(Name: string, zones: readonly string[]): Promise<string> {
    const input = { Name, Subnets: await this.#subnets(zones) };
    const { LoadBalancers = [] } = await this.#elbv2.send(new CreateLoadBalancerCommand(input));
    return LoadBalancers[0]?.LoadBalancerArn ?? '';
  }

  async balancerSubnets(arn: string): Promise<string[]> {
    const input = { LoadBalancerArns: [arn] };
    const { LoadBalancers = [] } = await this.#elbv2.send(new DescribeLoadBalancersCommand(input));
    return (LoadBalancers[0]?.AvailabilityZones ?? []).flatMap(({ SubnetId }) => SubnetId ?? []).toSorted();
  }

  /** The zones that have subnets. */
  async zones(): Promise<string[]> {
    const { Subnets = [] } = await this.#ec2.send(new DescribeSubnetsCommand({}));
    return [...new Set(Subnets.flatMap(({ AvailabilityZone }) => AvailabilityZone ?? []))]
      .toSorted()
      .slice(0, 3);
  }

  async #instance(id: string) {
    const { Reservations = [] } = await this.#ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
    return Reservations[0]?.Instances?.[0];
  }

  async #image(): Promise<string> {
    const { Images = [] } = await this.#ec2.send(new DescribeImagesCommand({}));
    return Images[0]?.ImageId ?? '';
  }

  async #members(name: string) {
    const input = { AutoScalingGroupNames: [name] };
    const { AutoScalingGroups = [] } = await this.#scaling.send(new DescribeAutoScalingGroupsCommand(input));
    return AutoScalingGroups[0]?.Instances ?? [];
  }

  async #subnets(zones: readonly string[]): Promise<string[]> {
    const { Subnets = [] } = await this.#ec2.send(new DescribeSubnetsCommand({}));
    return zones.flatMap((zone) => Subnets.find((one) => one.AvailabilityZone === zone)?.SubnetId ?? []);
  }
}

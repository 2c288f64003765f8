/** A category of the hub: a folder below `faults/` with a catalogue of its own. */
export interface Category {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Colour of its icons. */
  readonly colour: string;
}

const OTHERS: readonly (Category & { readonly belongs: RegExp })[] = [
  {
    name: 'spring-boot',
    displayName: 'Spring Boot',
    description: 'Faults inside of Spring Boot applications that have Chaos Monkey on board.',
    keywords: ['Spring Boot', 'Java'],
    colour: '#4d7d2f',
    belongs: /^spring-boot-/,
  },
  {
    name: 'kafka',
    displayName: 'Kafka',
    description: 'Faults of the brokers of a Kafka cluster, while messages go through it.',
    keywords: ['Kafka', 'messages'],
    colour: '#6b4c9a',
    belongs: /^kafka-/,
  },
  {
    name: 'cassandra',
    displayName: 'Cassandra',
    description: 'Faults of the members of a Cassandra ring.',
    keywords: ['Cassandra', 'database'],
    colour: '#1f6f8b',
    belongs: /^cassandra-/,
  },
  {
    name: 'load',
    displayName: 'Load',
    description: 'More requests than usual, made by a script.',
    keywords: ['load', 'k6'],
    colour: '#b0532a',
    belongs: /^k6-/,
  },
  {
    name: 'aws',
    displayName: 'AWS',
    description: 'Faults of instances, volumes, databases and load balancers of Amazon Web Services.',
    keywords: ['AWS', 'EC2', 'EBS', 'RDS'],
    colour: '#a35b00',
    belongs: /^(?:aws|ec2|ebs|rds)-/,
  },
  {
    name: 'azure',
    displayName: 'Azure',
    description: 'Faults of virtual machines, scale sets and managed disks of Microsoft Azure.',
    keywords: ['Azure', 'virtual machines'],
    colour: '#1b5e9c',
    belongs: /^azure-/,
  },
  {
    name: 'gcp',
    displayName: 'Google Cloud',
    description: 'Faults of instances and disks of Google Compute Engine.',
    keywords: ['GCP', 'Compute Engine'],
    colour: '#1f6b4a',
    belongs: /^gcp-/,
  },
  {
    name: 'vmware',
    displayName: 'VMware',
    description: 'Faults of virtual machines of vCenter.',
    keywords: ['VMware', 'vCenter'],
    colour: '#4a5a7a',
    belongs: /^vm-/,
  },
  {
    name: 'bare-metal',
    displayName: 'Bare metal',
    description: 'Faults of machines, through the controllers on their boards.',
    keywords: ['bare metal', 'Redfish'],
    colour: '#5a6270',
    belongs: /^redfish-/,
  },
];

/** The category of all faults that need nothing but pods and nodes. */
const KUBERNETES: Category = {
  name: 'kubernetes',
  displayName: 'Kubernetes',
  description: 'Faults of pods, containers, workloads and nodes of any application on Kubernetes.',
  keywords: ['Kubernetes', 'pods', 'nodes'],
  colour: '#2f5fb3',
};

/** The category of a fault. Pure. */
export function categoryOf(fault: string): Category {
  return OTHERS.find(({ belongs }) => belongs.test(fault)) ?? KUBERNETES;
}

const ACRONYMS: ReadonlySet<string> = new Set([
  ...['cpu', 'io', 'http', 'dns', 'k6'],
  ...['aws', 'az', 'ec2', 'ebs', 'rds', 'ssm', 'id', 'gcp', 'vm'],
]);

/** `pod-cpu-hog` as a title: `Pod CPU Hog`. Pure. */
export function titleOf(name: string): string {
  return name
    .split('-')
    .map((word) =>
      ACRONYMS.has(word) ? word.toUpperCase() : `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`,
    )
    .join(' ');
}

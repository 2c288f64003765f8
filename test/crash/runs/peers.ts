/** What stands beside an application for faults of the family `application`: a broker, a ring, the controller of a machine. */
import { BMC_PORT } from './families.ts';

const KAFKA_PORT = 9092;
const CASSANDRA_PORT = 9042;
const RING_SIZE = 2;

/** The peers of an application. */
export function peers(app: string): string[] {
  const [kafka, ring, bmc] = [`${app}-kafka`, `${app}-cassandra`, `${app}-bmc`];
  const members = Array.from({ length: RING_SIZE }, (_, index) => `${ring}-${index}.${ring}`);
  return [
    service(kafka, kafka, KAFKA_PORT),
    statefulSet(kafka, 'kafka', 1, KAFKA_PORT),
    // Its members have names of their own.
    service(ring, ring, CASSANDRA_PORT, 'clusterIP: None, publishNotReadyAddresses: true,'),
    service(`${ring}-clients`, ring, CASSANDRA_PORT),
    statefulSet(ring, 'cassandra', RING_SIZE, CASSANDRA_PORT, { RING: members.join(' ') }),
    service(bmc, bmc, BMC_PORT),
    statefulSet(bmc, 'crash/bmc', 1, BMC_PORT),
  ];
}

function service(name: string, peer: string, port: number, more = ''): string {
  return `
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { ${more} selector: { peer: ${peer} }, ports: [{ port: ${port} }] }
`;
}

function statefulSet(
  name: string,
  image: string,
  replicas: number,
  port: number,
  env: Readonly<Record<string, string>> = {},
): string {
  const variables = Object.entries({ PORT: String(port), ...env });
  return `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ${name}, labels: { peer: ${name} } }
spec:
  serviceName: ${name}
  replicas: ${replicas}
  podManagementPolicy: Parallel
  selector: { matchLabels: { peer: ${name} } }
  template:
    metadata: { labels: { peer: ${name} } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: ${image.replace(/^.*\//, '')}
          image: ${image}
          env: ${JSON.stringify(variables.map(([variable, value]) => ({ name: variable, value })))}
          ports: [{ containerPort: ${port} }]
          readinessProbe: { tcpSocket: { port: ${port} }, periodSeconds: 1 }
`;
}

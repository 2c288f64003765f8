import type { Service } from '@turnsole/kube/kinds/core';

/**
 * The variables by which a container finds the services of its namespace, in Kubernetes' and in Docker's older form;
 * pure. Services without a cluster IP have none (API concepts: Service, environment variables).
 */
export function serviceVariables(services: readonly Service[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const address = spec?.clusterIP;
    const [first] = spec?.ports ?? [];
    if (address === undefined || address === '' || address === 'None' || first === undefined) continue;
    const prefix = metadata.name.toUpperCase().replaceAll('-', '_');
    variables.set(`${prefix}_SERVICE_HOST`, address);
    variables.set(`${prefix}_SERVICE_PORT`, String(first.port));
    for (const { name, port } of spec?.ports ?? []) {
      if (name === undefined || name === '') continue;
      variables.set(`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`, String(port));
    }
    const protocol = (first.protocol ?? 'TCP').toLowerCase();
    variables.set(`${prefix}_PORT`, `${protocol}://${address}:${first.port}`);
    for (const { port, protocol: upper = 'TCP' } of spec?.ports ?? []) {
      const lower = upper.toLowerCase();
      const base = `${prefix}_PORT_${port}_${upper}`;
      variables.set(base, `${lower}://${address}:${port}`);
      variables.set(`${base}_PROTO`, lower);
      variables.set(`${base}_PORT`, String(port));
      variables.set(`${base}_ADDR`, address);
    }
  }
  return variables;
}

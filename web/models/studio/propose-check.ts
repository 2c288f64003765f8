import type { Target } from './draft.ts';
import { type Labelled, labelsOf } from './live-target.ts';

/** A service of a cluster; agents of others say nothing of whom it selects. */
export interface CheckedService extends Labelled {
  readonly service?: {
    /** Each as `key=value`. */
    readonly selector: readonly string[];
    readonly ports: readonly ServicePort[];
  } | null;
}

interface ServicePort {
  /** Empty if it has none. */
  readonly name: string;
  readonly port: number;
}

/** A check of the application that a fault hits, as far as it can be told from the cluster. */
export interface ProposedCheck {
  readonly name: string;
  /** Empty where no service is known. */
  readonly url: string;
  /** All that may be asked at the service, that one among them; none where its ports are not known. */
  readonly choices: readonly { readonly words: string; readonly url: string }[];
}

/**
 * The check of an application: that its service answers. Its service is the one that selects its pods; where that is not known the one with
 * the label of its pods, else the one with the name that the label gives. Pure.
 *
 * @param services of the namespace of the target
 * @param pods of that namespace
 * @param taken names of the probes that there are
 */
export function proposeCheck(
  target: Pick<Target, 'namespace' | 'label'>,
  services: readonly CheckedService[],
  pods: readonly Labelled[],
  taken: readonly string[],
): ProposedCheck {
  const { namespace, label } = target;
  const value = label.slice(label.indexOf('=') + 1);
  const found = serviceOf(label, value, services, pods);
  const stem = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value) ? `${value}-answers` : '';
  const name = stem === '' ? '' : freeName(stem, taken);
  if (found === undefined) return { name, url: '', choices: [] };
  const host = `${found.name}.${namespace}.svc.cluster.local`;
  const choices = (found.service?.ports ?? [])
    .toSorted((one, other) => rank(one) - rank(other))
    .map((port) => ({
      words: port.name === '' ? String(port.port) : `${port.port} (${port.name})`,
      url: urlOf(host, port),
    }));
  return { name, url: choices[0]?.url ?? `http://${host}/`, choices };
}

function serviceOf(
  label: string,
  value: string,
  services: readonly CheckedService[],
  pods: readonly Labelled[],
): CheckedService | undefined {
  if (label === '') return undefined;
  const own = pods.filter(({ labels }) => labels.includes(label));
  const known = own.length === 0 ? [label] : labelsOf(own);
  const selects = ({ service }: CheckedService): boolean =>
    service !== undefined &&
    service !== null &&
    service.selector.length > 0 &&
    service.selector.every((one) => known.includes(one) && own.every(({ labels }) => labels.includes(one)));
  return (
    services.find(selects) ??
    services.find(({ labels }) => labels.includes(label)) ??
    services.find(({ name }) => name === value)
  );
}

/** Which port most likely speaks HTTP: one that is named so, then those that usually do. */
function rank({ name, port }: ServicePort): number {
  if (/^(http|web)(-|$)/.test(name)) return 0;
  if (port === 80) return 1;
  if (port === 8080) return 2;
  if (isSecure({ name, port })) return 3;
  return /metrics|admin|grpc|debug/.test(name) ? 5 : 4;
}

function isSecure({ name, port }: ServicePort): boolean {
  return port === 443 || /^https(-|$)/.test(name);
}

function urlOf(host: string, port: ServicePort): string {
  const [scheme, usual] = isSecure(port) ? ['https', 443] : ['http', 80];
  return `${scheme}://${host}${port.port === usual ? '' : `:${port.port}`}/`;
}

function freeName(stem: string, taken: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? stem : `${stem}-${count}`;
    if (!taken.includes(name)) return name;
  }
}

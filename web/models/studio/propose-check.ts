import type { Target } from './draft.ts';
import type { Labelled } from './live-target.ts';

/** A check of the application that a fault hits, as far as it can be told from the cluster. */
interface ProposedCheck {
  readonly name: string;
  /** Empty where no service is known. */
  readonly url: string;
}

/**
 * The check of an application: that its service answers. Its service is the one with the label of its pods, else the one with the name that the
 * label gives. Pure.
 *
 * @param services of the namespace of the target
 */
export function proposeCheck(
  { namespace, label }: Pick<Target, 'namespace' | 'label'>,
  services: readonly Labelled[],
): ProposedCheck {
  const value = label.slice(label.indexOf('=') + 1);
  const found =
    services.find(({ labels }) => label !== '' && labels.includes(label)) ??
    services.find(({ name }) => name === value);
  const name = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value) ? `${value}-answers` : '';
  return { name, url: found === undefined ? '' : `http://${found.name}.${namespace}.svc.cluster.local/` };
}

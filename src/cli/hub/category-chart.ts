import { type Category, titleOf } from './categories.ts';
import { CHART_VERSION, type HubFault, MAINTAINERS, MIN_KUBE_VERSION } from './fault-chart.ts';

/** The catalogue of a category. Pure. */
export function categoryCatalogue(category: Category, faults: readonly HubFault[]): object {
  const { name, displayName, description, keywords } = category;
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChartServiceVersion',
    metadata: {
      name,
      version: CHART_VERSION,
      annotations: { categories: displayName, vendor: 'Turnsole', chartDescription: description },
    },
    spec: {
      displayName,
      categoryDescription: description,
      faults: faults.map(({ name: fault, summary }) => ({
        name: fault,
        displayName: titleOf(fault),
        description: summary,
      })),
      keywords: [...keywords],
      maintainers: [...MAINTAINERS],
      minKubeVersion: MIN_KUBE_VERSION,
      links: [{ name: 'Faults', url: 'docs/faults.md' }],
      icon: [{ url: `icons/${name}.svg`, mediatype: 'image/svg+xml' }],
    },
  };
}

/** The files of a category's entries. Pure. */
export function categoryPackage(category: Category, faults: readonly HubFault[]): object {
  return {
    packageName: category.name,
    faults: faults.map(({ name }) => ({ name, CSV: `${name}.chartserviceversion.yaml`, desc: name })),
  };
}

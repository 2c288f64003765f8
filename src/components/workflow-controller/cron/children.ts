import type { Indexes } from '@turnsole/kube/controllers/informers';
import { LABEL_CRON_WORKFLOW } from '@turnsole/workflows/kinds/labels';

/** Index of workflows by the CronWorkflow that made them: `namespace/name`, as their label says. */
export const BY_CRON_WORKFLOW = 'cronWorkflow';

/** The indexes of workflows that CronWorkflows need. */
export const CRON_INDEXES: Indexes = {
  [BY_CRON_WORKFLOW]: ({ metadata: { labels, namespace = '' } }) => {
    const name = labels?.[LABEL_CRON_WORKFLOW];
    return name === undefined ? [] : [`${namespace}/${name}`];
  },
};

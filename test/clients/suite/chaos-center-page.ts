import { startGitServer } from '../../../src/controlplane/remote/testing/git-server.ts';
import { PageConnection } from '../page/connection.ts';
import { DOCUMENTS } from '../page/documents.ts';
import { allDocuments } from '../page/graphql.ts';
import { restOperations } from '../page/rest.ts';
import type { Client } from './client.ts';

const APP = 'web';
const HUB = {
  'faults/kubernetes/kubernetes.chartserviceversion.yaml':
    'kind: ChartServiceVersion\nmetadata: { name: kubernetes }\n',
  'README.md': 'A hub.\n',
};

/** What ChaosCenter's page sends to its server. */
export const CHAOS_CENTER_PAGE: Client = {
  name: 'chaoscenter-page',
  programs: [],
  covers: `the 31 REST operations and ${DOCUMENTS.length} GraphQL documents that its server has too, in the page’s envelopes, three of them subscriptions; a fault runs meanwhile`,
  version: () => '3.31.0',
  async run({ stage, checks }) {
    await using hub = await startGitServer();
    await using gitOps = await startGitServer();
    await hub.commit(HUB);
    await gitOps.commit({ 'README.md': 'Experiments.\n' });
    const plane = await stage.controlPlane();
    const infraID = await stage.connectedAgent();
    await stage.application(APP, 'litmus');
    const page = new PageConnection(plane);
    await restOperations(plane, page, checks);
    const scene = { projectID: plane.projectID, infraID, hubURL: hub.url, gitOpsURL: gitOps.url, app: APP };
    await allDocuments(page, scene, checks);
  },
};

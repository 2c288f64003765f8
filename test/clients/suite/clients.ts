import { ARGO } from './argo.ts';
import { CHAOS_CENTER_PAGE } from './chaos-center-page.ts';
import type { Client } from './client.ts';
import { HELM } from './helm.ts';
import { JAVA_CLIENT } from './java.ts';
import { K9S } from './k9s.ts';
import { KUBECTL } from './kubectl.ts';
import { LITMUS_AGENT } from './litmus-agent.ts';
import { LITMUS_GO_SDK } from './litmus-go-sdk.ts';
import { LITMUS_MCP_SERVER } from './litmus-mcp-server.ts';
import { LITMUSCTL } from './litmusctl.ts';
import { PYTHON_CLIENTS } from './python.ts';

/** Everything that is run, in the order of the table. */
export const CLIENTS: readonly Client[] = [
  CHAOS_CENTER_PAGE,
  LITMUSCTL,
  LITMUS_GO_SDK,
  LITMUS_MCP_SERVER,
  LITMUS_AGENT,
  ARGO,
  KUBECTL,
  PYTHON_CLIENTS,
  JAVA_CLIENT,
  HELM,
  K9S,
];

import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { signInCommand } from '../../models/run/commands.ts';
import { plainText } from '../../models/words/plain.ts';
import { CommandLines } from '../../parts/command-lines/command-lines.tsx';
import { WATCHES_CLUSTER } from '../frame/use-projects.ts';
import { useRest } from '../use-rest.ts';
import { ENVIRONMENTS, MAKE_ENVIRONMENT, REGISTER } from './generated/connect.ts';
import { YamlFile } from './yaml-file.tsx';
import './connect.css';

interface Wanted {
  readonly name: string;
  readonly environment: string;
  readonly scope: 'cluster' | 'namespace';
}

/** Default namespace of the agent. */
const NAMESPACE = 'litmus';

/** Registers a cluster, and shows its manifest. */
export function Connect({
  project,
  onDone,
}: {
  readonly project: string;
  /** Called after the registration. */
  onDone(): void;
}): ReactElement {
  const register = useMutation({
    mutationFn: (wanted: Wanted) => registered(project, wanted),
    onSuccess: onDone,
  });
  const me = useRest<{ readonly username: string }>('/get_user/me');
  const username = 'data' in me ? me.data.username : '';
  if (register.data !== undefined) return <Manifest {...register.data} />;
  if (WATCHES_CLUSTER)
    return (
      <p className="hint">
        This page was started for one cluster; <code>turnsole server</code> keeps several.
      </p>
    );
  return (
    <details className="connect">
      <summary>Connect a cluster</summary>
      <p>In a terminal that has a kubeconfig of the cluster:</p>
      <CommandLines
        commands={[
          signInCommand(location.origin, username),
          {
            does: 'register the cluster of the current context, install its agent, and wait for it',
            line: `npx turnsole connect --server ${location.origin} --project ${project}`,
          },
        ]}
      />
      <p>To install the agent yourself, register the cluster here.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const text = (name: string): string => String(form.get(name) ?? '').trim();
          const scope = text('scope') === 'namespace' ? 'namespace' : 'cluster';
          register.mutate({ name: text('name'), environment: text('environment'), scope });
        }}
      >
        <label>
          Name of the cluster
          <input name="name" required />
        </label>
        <label>
          Environment; made if there is none of this name
          <input name="environment" defaultValue="default" pattern="[a-z0-9][a-z0-9\-]*" required />
        </label>
        <label>
          Its agent reaches
          <select name="scope">
            <option value="cluster">the whole cluster</option>
            <option value="namespace">only its namespace</option>
          </select>
        </label>
        {register.error === null ? null : <p role="alert">It was not registered: {register.error.message}</p>}
        <button type="submit" className="button" disabled={register.isPending}>
          Register
        </button>
      </form>
    </details>
  );
}

async function registered(projectID: string, { name, environment, scope }: Wanted) {
  const { listEnvironments } = await ask(ENVIRONMENTS, { projectID, ids: [environment] });
  if ((listEnvironments?.environments ?? []).length === 0)
    await ask(MAKE_ENVIRONMENT, { projectID, id: environment });
  const request = {
    ...{
      name,
      environmentID: environment,
      infrastructureType: 'Kubernetes' as const,
      platformName: 'Others',
    },
    ...{ infraScope: scope, infraNamespace: NAMESPACE, serviceAccount: NAMESPACE },
    ...{ infraNsExists: false, infraSaExists: false },
  };
  return (await ask(REGISTER, { projectID, request })).registerInfra;
}

function Manifest({ name, manifest }: { readonly name: string; readonly manifest: string }): ReactElement {
  return (
    <section className="connect" aria-label={`Connect ${plainText(name)}`}>
      <h2>
        <bdi>{name}</bdi> is registered
      </h2>
      <p>
        <YamlFile name="agent.yaml" text={manifest} />, then apply it in that cluster. It holds the agent's
        key: keep it to yourself. The list below follows by itself. In the folder with the file, with a
        kubeconfig of that cluster:
      </p>
      <pre className="text">kubectl apply -f agent.yaml</pre>
    </section>
  );
}

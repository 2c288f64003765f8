import { type ReactElement, useDeferredValue, useId } from 'react';
import type { Target } from '../../models/studio/draft.ts';
import type { ViewState } from '../../models/view-state/view-state.ts';
import { useAsk } from '../use-ask.ts';
import { Field, TextInput } from './field.tsx';
import { NAMESPACES, OBJECTS } from './studio-query.ts';

const KINDS = ['deployment', 'statefulset', 'daemonset'] as const;

/** What a fault is for, with what the cluster has now; any text can be typed, also while the agent is away. */
export function TargetFields({
  infra,
  target,
  problemOf,
  onChange,
}: {
  readonly infra: string;
  readonly target: Target;
  problemOf(field: string): string | undefined;
  onChange(target: Target): void;
}): ReactElement {
  const [namespaces, labels] = [useId(), useId()];
  return (
    <>
      <TextInput
        label="Namespace"
        value={target.namespace}
        choices={namespaces}
        problem={problemOf('namespace')}
        onChange={(namespace) => onChange({ ...target, namespace })}
      />
      <Field label="Kind">
        <select value={target.kind} onChange={(event) => onChange({ ...target, kind: event.target.value })}>
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </Field>
      <TextInput
        label="Label of its pods"
        value={target.label}
        choices={labels}
        problem={problemOf('label')}
        onChange={(label) => onChange({ ...target, label })}
      />
      {infra === '' ? null : <Offers infra={infra} target={target} namespaces={namespaces} labels={labels} />}
    </>
  );
}

/** What the agent lists, for the fields of these lists. */
function Offers({
  infra,
  target,
  namespaces,
  labels,
}: {
  readonly infra: string;
  readonly target: Target;
  readonly namespaces: string;
  readonly labels: string;
}): ReactElement {
  const resource = { group: 'apps', version: 'v1', resource: `${target.kind}s` };
  const namespace = useDeferredValue(target.namespace);
  const spaces = useAsk(NAMESPACES, { infraID: infra }, () => false);
  const objects = useAsk(OBJECTS, { infraID: infra, namespace, resource }, () => false);
  const names = (dataOf(spaces)?.getKubeNamespace.kubeNamespace ?? []).flatMap((one) => one?.name ?? []);
  const found = (dataOf(objects)?.getKubeObject.kubeObj.data ?? []).flatMap((one) => one ?? []);
  return (
    <>
      <datalist id={namespaces}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id={labels}>
        {found.flatMap(({ name, labels: texts }) =>
          (texts ?? []).map((text) => (
            <option key={`${name} ${text}`} value={text}>
              {name}
            </option>
          )),
        )}
      </datalist>
      {spaces.state !== 'loading' && names.length === 0 ? (
        <p className="hint">The agent lists nothing now; type what you know.</p>
      ) : null}
    </>
  );
}

function dataOf<Data>(view: ViewState<Data>): Data | undefined {
  return 'data' in view ? view.data : undefined;
}

import type { ReactElement } from 'react';
import type { ImageRegistryInput } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { ChoiceField, Form, TextField, type Texts } from '../form.tsx';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { REGISTRY, UPDATE_REGISTRY } from './generated/registry.ts';

const TYPES = [
  ['public', 'nothing: it is public'],
  ['private', 'the Secret below'],
] as const;
const USES = [
  ['yes', 'from this registry'],
  ['no', 'from where their manifests say'],
] as const;

/** The image registry of a project's experiments. */
export function Registry({ project: projectID }: { readonly project: string }): ReactElement {
  const view = useAsk(REGISTRY, { projectID });
  return (
    <StateView view={view} what="the image registry">
      {({ getImageRegistry: { imageRegistryID: id, isDefault, imageRegistryInfo: info } }) => (
        <>
          <p className="hint">
            {isDefault ? 'This is the default of every project.' : 'The project has set this registry.'}
          </p>
          <Form
            key={JSON.stringify(info)}
            submit="Save"
            run={(text) => ask(UPDATE_REGISTRY, { projectID, id, info: readRegistry(text) })}
            onDone={view.retry}
          >
            <ChoiceField
              name="use"
              label="Images are pulled"
              choices={USES}
              initial={info?.enableRegistry === false ? 'no' : 'yes'}
            />
            <TextField name="host" label="Registry" initial={info?.imageRegistryName} />
            <TextField name="repo" label="Repository in it" initial={info?.imageRepoName} />
            <ChoiceField
              name="type"
              label="Authentication"
              choices={TYPES}
              initial={info?.imageRegistryType.toLowerCase()}
            />
            <TextField name="secret" label="Secret" initial={info?.secretName ?? ''} isNeeded={false} />
            <TextField
              name="namespace"
              label="Namespace of the Secret"
              initial={info?.secretNamespace ?? ''}
              isNeeded={false}
            />
          </Form>
        </>
      )}
    </StateView>
  );
}

function readRegistry(text: Texts): ImageRegistryInput {
  return {
    isDefault: false,
    enableRegistry: text('use') === 'yes',
    imageRegistryName: text('host'),
    imageRepoName: text('repo'),
    imageRegistryType: text('type'),
    secretName: text('secret'),
    secretNamespace: text('namespace'),
  };
}

import type { ReactElement } from 'react';
import { withAt } from '../../models/json/json.ts';
import type { Problem } from '../../models/studio/check-draft.ts';
import { TextInput } from './field.tsx';
import { problemAt } from './part-props.ts';
import type { Studio } from './use-studio.ts';
import { InfraField } from './where-part.tsx';
import { YAML_FORM } from './yaml-form.ts';

/** The panel beside a manifest that the form cannot show, with the reason. */
export function OnlyYaml({
  project,
  studio,
  reason,
  problems,
}: {
  readonly project: string;
  readonly studio: Studio;
  readonly reason: string;
  readonly problems: readonly Problem[];
}): ReactElement {
  const { about, object, name } = studio;
  return (
    <>
      <section aria-label="Why there is no form">
        <h2>This experiment is changed as YAML</h2>
        <p className="hint">{reason} Everything else works as for others.</p>
      </section>
      <div className="form">
        <TextInput
          label="Name"
          value={name}
          problem={problemAt(problems, 'name')}
          onChange={(text) =>
            studio.setText(YAML_FORM.change(studio.text, withAt(object, ['metadata', 'name'], text)))
          }
        />
        <TextInput
          label="Description"
          value={about.description}
          onChange={(description) => studio.setAbout({ ...about, description })}
        />
      </div>
      <InfraField
        project={project}
        infraID={about.infraID}
        problem={problemAt(problems, 'infraID')}
        onChange={(infraID) => studio.setAbout({ ...about, infraID })}
      />
    </>
  );
}

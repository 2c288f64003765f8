import { type ReactElement, useMemo, useState } from 'react';
import { stringify } from 'yaml';
import { buildWorkflow } from '../../models/studio/build-workflow.ts';
import { checkDraft } from '../../models/studio/check-draft.ts';
import { EMPTY_DRAFT } from '../../models/studio/draft.ts';
import { addStep } from '../../models/studio/steps.ts';
import { useTitle } from '../use-title.ts';
import { AddFault } from './add-fault.tsx';
import { ExperimentFields } from './experiment-fields.tsx';
import { SaveExperiment } from './save-experiment.tsx';
import { StepForm } from './step-form.tsx';
import './studio.css';

/** Makes an experiment: a form, and beside it the manifest that it becomes. */
export function StudioView({ project }: { readonly project: string }): ReactElement {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const problems = useMemo(() => checkDraft(draft), [draft]);
  const manifest = useMemo(() => buildWorkflow(draft, writeYaml), [draft]);
  const yaml = useMemo(() => writeYaml(manifest), [manifest]);
  const problemOf = (field: string): string | undefined =>
    problems.find((problem) => problem.field === field)?.text;
  useTitle('New experiment');
  return (
    <>
      <h1>New experiment</h1>
      <div className="studio">
        <div>
          <ExperimentFields project={project} draft={draft} problemOf={problemOf} onChange={setDraft} />
          <h2>Steps</h2>
          {draft.steps.map((step) => (
            <StepForm
              key={step.name}
              project={project}
              draft={draft}
              step={step}
              problemOf={(field) => problemOf(`${step.name}/${field}`)}
              onChange={setDraft}
            />
          ))}
          <AddFault project={project} onAdd={(fault) => setDraft((before) => addStep(before, fault))} />
          <SaveExperiment
            project={project}
            draft={draft}
            manifest={manifest}
            isReady={problems.length === 0}
          />
          {problems.length === 0 ? null : (
            <p className="hint">It can be saved when each field is complete that says what it needs.</p>
          )}
        </div>
        <section aria-label="Manifest">
          <h2>Manifest</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
          <pre tabIndex={0}>{yaml}</pre>
        </section>
      </div>
    </>
  );
}

/** Texts of many lines stay as they are: engines inside of a manifest can be read. */
function writeYaml(value: object): string {
  return stringify(value, { blockQuote: 'literal', lineWidth: 0 });
}

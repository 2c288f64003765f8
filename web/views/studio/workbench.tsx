import { type ReactElement, useCallback, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { encodeState } from '../../address/codec.ts';
import { STUDIO_ADDRESS, type StudioAddress } from '../../address/studio.ts';
import { checkDraft, checkManifest } from '../../models/studio/check-draft.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { useAddress } from '../use-address.ts';
import { useTitle } from '../use-title.ts';
import { FormPart } from './form-part.tsx';
import { OnlyYaml } from './only-yaml.tsx';
import type { Origin } from './origin.ts';
import { PartsNav } from './parts-nav.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { RestoredWork } from './restored-work.tsx';
import { SaveExperiment } from './save-experiment.tsx';
import { useFaultBook } from './use-fault-book.ts';
import { useStudio } from './use-studio.ts';
import { lineOfPart } from './yaml-problems.ts';
import './studio.css';

const YamlPanel = lazyView('Loading the editor', async () => (await import('./yaml-panel.tsx')).YamlPanel);

/** The plan that is shown. */
interface SeenPlan {
  readonly manifest: string;
  /** Why a run would be refused, if it would. */
  readonly whyNot: string | undefined;
}

/** The editor of one experiment: the form of a part, and the YAML of the whole, in sync. */
export function Workbench({
  project,
  title,
  origin: begun,
  place,
}: {
  readonly project: string;
  readonly title: string;
  readonly origin: Origin;
  /** Key for unsaved changes. */
  readonly place: string;
}): ReactElement {
  // Later answers are for the question before saving, not for the editor.
  const { current: origin } = useRef(begun);
  const studio = useStudio(origin, place);
  const { state: address, change } = useAddress(STUDIO_ADDRESS);
  const [path] = useLocation();
  const linkTo = (changes: Partial<StudioAddress>): string => {
    const search = encodeState(STUDIO_ADDRESS, { ...address, ...changes });
    return search === '' ? path : `${path}?${search}`;
  };
  const book = useFaultBook();
  const { shown } = studio;
  const problems = useMemo(
    () => ('draft' in shown ? checkDraft(shown.draft, book) : checkManifest(studio.name, studio.about)),
    [shown, book, studio.name, studio.about],
  );
  useTitle(title);
  const step = address.step || ('draft' in shown ? (shown.draft.steps[0]?.name ?? '') : '');
  const isReadable = studio.yamlProblems.length === 0;
  // Closed until it is asked for, or needed: what the form cannot show, and errors, are seen there only.
  const isNeeded = !('draft' in shown) || !isReadable;
  const isYamlShown = isNeeded || address.yaml === 'shown';
  const manifest = useMemo(
    () => (isReadable && problems.length === 0 ? JSON.stringify(studio.object) : undefined),
    [isReadable, problems, studio.object],
  );
  const [seen, setSeen] = useState<SeenPlan>();
  const onSeen = useCallback(
    (planned: string | undefined, whyNot: string | undefined) =>
      setSeen(planned === undefined ? undefined : { manifest: planned, whyNot }),
    [],
  );
  const plan = seen !== undefined && seen.manifest === manifest ? seen : undefined;
  return (
    <>
      <h1>{title}</h1>
      <RestoredWork studio={studio} />
      {'draft' in shown ? <PartsNav address={address} problems={problems} linkTo={linkTo} /> : null}
      <div className="studio">
        <div>
          <fieldset className="studio-form" disabled={!isReadable}>
            <p className="refused" role="status">
              {isReadable
                ? ''
                : `The YAML cannot be read at line ${studio.yamlProblems[0]?.line}; until it can, the form shows what it was before.`}
            </p>
            {'draft' in shown ? (
              <FormPart
                project={project}
                address={address}
                shown={shown}
                draft={shown.draft}
                problems={problems}
                book={book}
                linkTo={linkTo}
                onAddress={(changes) => change(changes, 'push')}
                onChange={studio.setDraft}
              />
            ) : (
              <OnlyYaml project={project} studio={studio} reason={shown.reason} problems={problems} />
            )}
          </fieldset>
          <SaveExperiment
            project={project}
            origin={origin}
            studio={studio}
            isReady={problems.length === 0 && isReadable}
            isScheduled={studio.object.kind === 'CronWorkflow' || studio.object.kind === 'ChaosSchedule'}
            isPlanSeen={plan !== undefined}
            whyNot={plan?.whyNot}
          />
          {problems.length === 0 ? null : (
            <p className="hint">You can save it when the marked fields are complete.</p>
          )}
        </div>
        <div>
          <Panel name="The plan">
            <PlanPanel project={project} infraID={studio.about.infraID} manifest={manifest} onSeen={onSeen} />
          </Panel>
          {isNeeded ? null : (
            <button
              type="button"
              className="link"
              aria-expanded={isYamlShown}
              onClick={() => change({ yaml: isYamlShown ? 'hidden' : 'shown' }, 'replace')}
            >
              {isYamlShown ? 'Hide the YAML' : 'Show the YAML'}
            </button>
          )}
          {isYamlShown ? (
            <Panel name="The editor">
              <YamlPanel
                text={studio.text}
                problems={studio.yamlProblems}
                place={`${address.part} ${step}`}
                line={lineOfPart(studio.text, address.part, step)}
                onChange={studio.setText}
              />
            </Panel>
          ) : null}
        </div>
      </div>
    </>
  );
}

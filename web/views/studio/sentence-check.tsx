import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ProbeRequest, ProbeTrial } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { type CheckedProbe, checkWords } from '../../models/studio/check-words.ts';
import type { Step } from '../../models/studio/draft.ts';
import { changeStep } from '../../models/studio/steps.ts';
import { durationWords } from '../../models/words/duration.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { Options } from '../../parts/options/options.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { ADD_PROBE } from '../probes/generated/probe-request.ts';
import { answersRequest } from '../probes/probe-request.ts';
import { PROBES } from './generated/studio.ts';
import { TRY_PROBE } from './generated/try-probe.ts';
import type { PartProps } from './part-props.ts';
import { useProbes, useProposedCheck } from './use-proposed-check.ts';

type Props = Pick<PartProps, 'project' | 'draft' | 'onChange'> & {
  readonly step: Step;
  /** Number of probes in the engine itself. */
  readonly own: number;
};

/** The end of the sentence: what has to hold meanwhile, each with what came of trying it; fields for a check while there is none. */
export function SentenceCheck({ project, draft, step, own, onChange }: Props): ReactElement {
  const { infraID } = draft;
  const known = useProbes(project);
  const trial = useTrial(project, infraID);
  if (step.probes.length + own === 0) {
    return (
      <NewField
        key={`${infraID} ${step.target.namespace} ${step.target.label}`}
        {...{ project, draft, step, onChange }}
        onMade={trial.run}
      />
    );
  }
  const parts = step.probes.map(({ name }) => {
    const probe = known.find((one) => one.name === name);
    const again = requestAgain(probe);
    const tryWords = trial.of(name) === undefined ? 'Try it now' : 'Try again';
    return (
      <span key={name} className="sentence-check">
        <bdi title={plainText(name)}>{plainText(checkWords(probe ?? { name }))}</bdi>{' '}
        <Tried trial={trial} name={name} />{' '}
        {again === undefined || infraID === '' ? null : (
          <Button
            look="link"
            label={tryWords}
            name={`${tryWords}: ${name}`}
            isOff={trial.isPending}
            onClick={() => trial.run(again)}
          />
        )}{' '}
        <Button
          look="link"
          label="Remove"
          name={`Remove the check ${name}`}
          onClick={() =>
            onChange((before) =>
              changeStep(before, step.name, { probes: step.probes.filter((one) => one.name !== name) }),
            )
          }
        />
      </span>
    );
  });
  return (
    <>
      ; meanwhile {parts}
      {own === 0 ? null : (
        <span>{own === 1 ? 'a probe of its own holds' : `${own} probes of its own hold`}</span>
      )}
      .
    </>
  );
}

/** The request that tries a probe of the project as it is; undefined for those with more than the sentence shows. */
function requestAgain(probe: CheckedProbe | undefined): ProbeRequest | undefined {
  const http = probe?.kubernetesHTTPProperties;
  const asked = http?.method.get;
  if (probe === undefined || asked?.criteria !== '==' || asked.responseCode !== '200') return undefined;
  return answersRequest({ name: probe.name, url: http?.url ?? '', timeout: http?.probeTimeout ?? '' });
}

/** The fields of a check that is proposed from the service of the target; it is added and tried at once. */
function NewField({
  project,
  draft: { infraID },
  step,
  onChange,
  onMade,
}: Omit<Props, 'own'> & { onMade(request: ProbeRequest): void }): ReactElement {
  const queries = useQueryClient();
  const proposed = useProposedCheck(project, infraID, step.target);
  const [typed, setTyped] = useState<string>();
  const [timeout, setTimeout] = useState('1s');
  const url = typed ?? proposed.url;
  const add = useMutation({
    mutationFn: async () => {
      const request = answersRequest({ name: proposed.name || `${step.name}-answers`, url, timeout });
      await ask(ADD_PROBE, { projectID: project, request });
      onChange((before) =>
        changeStep(before, step.name, { probes: [{ name: request.name, mode: 'Continuous' }] }),
      );
      void queries.invalidateQueries({ queryKey: [PROBES.text] });
      onMade(request);
    },
  });
  return (
    <>
      ; meanwhile{' '}
      <input
        aria-label="URL that has to answer"
        type="url"
        value={url}
        placeholder="http://web.shop:8080/"
        size={Math.min(60, Math.max(24, url.length))}
        onChange={({ target }) => setTyped(target.value)}
      />{' '}
      {proposed.choices.length < 2 ? null : (
        <>
          at port{' '}
          <select
            aria-label="Port of the service"
            value={proposed.choices.some((choice) => choice.url === url) ? url : ''}
            onChange={({ target }) => setTyped(target.value)}
          >
            <Options
              choices={[
                ...(proposed.choices.some((choice) => choice.url === url)
                  ? []
                  : ([['', 'another']] as const)),
                ...proposed.choices.map(({ words, url: at }) => [at, words] as const),
              ]}
            />
          </select>{' '}
        </>
      )}
      answers 200 within{' '}
      <input
        aria-label="How soon it has to answer"
        value={timeout}
        size={4}
        onChange={({ target }) => setTimeout(target.value.trim())}
      />{' '}
      <Button
        label="Add this check"
        isOff={url === '' || timeout === '' || add.isPending}
        onClick={() => add.mutate()}
      />
      .
      {add.error === null ? null : (
        <span className="refused" role="alert">
          {' '}
          The check was refused: {add.error.message}
        </span>
      )}
    </>
  );
}

/** Trials of probes by the agent of an infrastructure, the last of each by its name. */
interface Trials {
  readonly isPending: boolean;
  of(name: string): ProbeTrial | string | undefined;
  run(request: ProbeRequest): void;
}

function useTrial(projectID: string, infraID: string): Trials {
  const [results, setResults] = useState<Readonly<Record<string, ProbeTrial | string>>>({});
  const set = (name: string, result: ProbeTrial | string): void =>
    setResults((before) => ({ ...before, [name]: result }));
  const trial = useMutation({
    mutationFn: async (request: ProbeRequest) =>
      (await ask(TRY_PROBE, { projectID, infraID, request })).tryProbe,
    onSuccess: (result, { name }) => set(name, result),
    onError: ({ message }, { name }) => set(name, message),
  });
  return {
    isPending: trial.isPending,
    of: (name) => (Object.hasOwn(results, name) ? results[name] : undefined),
    run: (request) => {
      if (infraID !== '') trial.mutate(request);
    },
  };
}

/** What came of trying a check: `tried, 12 ms`, else what it found. */
function Tried({ trial, name }: { readonly trial: Trials; readonly name: string }): ReactElement {
  const result = trial.of(name);
  return (
    <span role="status" className="sentence-tried">
      {result === undefined ? (
        trial.isPending ? (
          'The agent tries it…'
        ) : null
      ) : typeof result === 'string' ? (
        <>not tried: {plainText(result)}</>
      ) : result.outcome === 'Passed' ? (
        <Verdict state="Passed" words={`tried, ${durationWords(result.milliseconds)}`} title={result.text} />
      ) : (
        <>
          <Verdict state={result.outcome} words="tried" /> {plainText(result.text)}
        </>
      )}
    </span>
  );
}

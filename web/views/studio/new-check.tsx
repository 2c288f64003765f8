import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import type { Step } from '../../models/studio/draft.ts';
import { Form, TextField, type Texts } from '../form.tsx';
import { ADD_PROBE } from '../probes/generated/probe-request.ts';
import { answersRequest } from '../probes/probe-request.ts';
import { TryProbe } from './try-probe.tsx';
import { useProposedCheck } from './use-proposed-check.ts';

/** Makes the check that most experiments need, where it is needed: a service keeps answering while the fault is in force. */
export function NewCheck({
  project,
  infraID,
  target,
  onMade,
}: {
  readonly project: string;
  readonly infraID: string;
  readonly target: Step['target'];
  onMade(name: string): void;
}): ReactElement {
  const { name, url, choices } = useProposedCheck(project, infraID, target);
  const request = (text: Texts) =>
    answersRequest({ name: text('name'), url: text('url'), timeout: text('timeout') });
  return (
    <details>
      <summary>A service must keep answering</summary>
      <p className="hint">
        It is asked all the time, and has to answer 200.
        {choices.length > 0 ? null : ' A service that listens on another port than 80 needs it in its URL.'}
      </p>
      {/* What is proposed comes later than the form. */}
      <Form
        key={`${name} ${url}`}
        submit="Add this check"
        run={async (text) => {
          await ask(ADD_PROBE, { projectID: project, request: request(text) });
          onMade(text('name'));
        }}
      >
        <TextField name="url" label="URL" type="url" initial={url} />
        <TextField name="timeout" label="It answers within" initial="1s" />
        <TextField name="name" label="Name of the check" initial={name} />
        <TryProbe project={project} request={request} />
      </Form>
    </details>
  );
}

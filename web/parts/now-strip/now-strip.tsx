import type { ReactElement } from 'react';
import type { RunNow } from '../../models/run/run-now.ts';
import { plainText } from '../../models/words/plain.ts';
import './now-strip.css';

/** The question of a run, and the three answers: is chaos in force, what was hit, does the application answer. */
export function NowStrip({ now: { question, strip } }: { readonly now: RunNow }): ReactElement {
  return (
    <>
      {question === undefined ? null : <p className="question">{question}</p>}
      <dl className="now-strip" aria-label="Chaos, what it hit, and the application">
        {strip.map(({ name, tone, answer, more }) => (
          <div key={name} data-tone={tone}>
            <dt>{name}</dt>
            <dd>
              <strong>{plainText(answer)}</strong> <span>{plainText(more)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

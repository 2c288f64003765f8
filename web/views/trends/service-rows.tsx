import type { ReactElement } from 'react';
import { columnsOf } from '../../models/trends/period.ts';
import {
  changeOfScore,
  markWords,
  nameOf,
  recoveryLine,
  recoveryWords,
  worstOf,
} from '../../models/trends/trends.ts';
import { plainText } from '../../models/words/plain.ts';
import { dayWords } from '../../models/words/time.ts';
import { RunMark } from '../runs/run-mark.tsx';
import type { ShownTrend } from './generated/trends.ts';

type Span = { readonly fromMs: number; readonly toMs: number };

/** A row for each service: its marks by week, its times to recover as a line, and how it changed. */
export function ServiceRows({
  project,
  services,
  span,
  infraNames,
}: {
  readonly project: string;
  readonly services: readonly ShownTrend[];
  readonly span: Span;
  readonly infraNames: ReadonlyMap<string, string>;
}): ReactElement {
  const isOneCluster = new Set(services.map(({ infraID }) => infraID)).size === 1;
  return (
    <table className="trends">
      <caption className="for-readers">Services, first what got worse</caption>
      <thead>
        <tr>
          <th scope="col">Service</th>
          <th scope="col">Worst run of each week</th>
          <th scope="col">Time to recover</th>
          <th scope="col">Score</th>
        </tr>
      </thead>
      <tbody>
        {services.map((service) => (
          <tr key={`${service.infraID} ${service.kind} ${nameOf(service)}`}>
            <th scope="row">
              <bdi>{nameOf(service)}</bdi>{' '}
              <small className="hint">
                {service.kind}
                {isOneCluster ? '' : ` on ${plainText(infraNames.get(service.infraID) ?? 'another cluster')}`}
              </small>
            </th>
            <td>
              <Weeks project={project} service={service} span={span} />
            </td>
            <td>
              <Recovery runs={service.runs} span={span} />
            </td>
            <td data-tone={(service.change ?? 0) < 0 ? 'bad' : undefined}>{changeOfScore(service)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Weeks({
  project,
  service,
  span,
}: {
  readonly project: string;
  readonly service: ShownTrend;
  readonly span: Span;
}): ReactElement {
  return (
    <ol className="trends-weeks">
      {columnsOf(span, service.runs, ({ at }) => Number(at)).map(({ fromMs, items }) => {
        const worst = worstOf(items);
        const more = items.length > 1 ? `; ${items.length} runs from ${dayWords(fromMs)}` : '';
        return (
          <li key={fromMs}>
            {worst === undefined ? (
              <span className="trends-none" title={`No run from ${dayWords(fromMs)}`}>
                ·
              </span>
            ) : (
              <RunMark
                project={project}
                run={{ experimentRunID: worst.experimentRunID, outcome: { state: worst.state } }}
                words={`${markWords(worst)}${more}`}
              />
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Size of the line, in pixels, with room for its points. */
const [WIDTH, HEIGHT, ROOM] = [120, 24, 3];

function Recovery({ runs, span }: { readonly runs: ShownTrend['runs']; readonly span: Span }): ReactElement {
  const points = recoveryLine(runs, span).map(({ x, y }) => ({
    x: ROOM + x * (WIDTH - 2 * ROOM),
    y: HEIGHT - ROOM - y * (HEIGHT - 2 * ROOM),
  }));
  return (
    <span className="trends-recovery">
      {points.length < 2 ? null : (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
          <polyline points={points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')} />
          {points.map(({ x, y }) => (
            <circle key={x} cx={x} cy={y} r="2" />
          ))}
        </svg>
      )}
      {recoveryWords(runs)}
    </span>
  );
}

/** The one or two most telling figures of a connection, to fit in a table row. */
import type { TransportReport } from '../../../../../daemon/contract/channels.ts';

type LinkFigure = 'loss-percent' | 'rtt-ms' | 'jitter-ms' | 'cc-errors' | 'buffer-ms' | 'pkt-drop';

export interface LinkValue {
  readonly figure: LinkFigure;
  readonly value: number;
}

/** First the loss, second the round trip or jitter; without both, whatever figure is known. */
const first: readonly LinkFigure[] = ['loss-percent'];
const second: readonly LinkFigure[] = ['rtt-ms', 'jitter-ms'];
const otherwise: readonly LinkFigure[] = ['buffer-ms', 'cc-errors', 'pkt-drop'];

export function linkFigures(report: TransportReport | undefined): LinkValue[] {
  if (report === undefined) return [];
  const known = (figures: readonly LinkFigure[]): LinkValue[] => {
    for (const figure of figures) {
      const value = report[figure];
      if (value !== undefined) return [{ figure, value }];
    }
    return [];
  };
  const main = [...known(first), ...known(second)];
  return main.length > 0 ? main : known(otherwise);
}

const warnPercent = 1;
const faultPercent = 5;

/** Color for a loss percentage; undefined below the warning threshold. */
export function lossTone(percent: number | undefined): 'warn' | 'fault' | undefined {
  if (percent === undefined || percent < warnPercent) return undefined;
  return percent < faultPercent ? 'warn' : 'fault';
}

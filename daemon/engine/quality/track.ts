/** A ring of steps with several figures each. A figure that never occurs uses no memory. */
import { type QualityFigure, qualityFigures } from '../../media/protocol/reported.ts';

export type Sample = Partial<Record<QualityFigure, number>>;
export type Presence = 'gone' | 'connected';

const unknown = 0;
const codes: Readonly<Record<Presence, number>> = { gone: 1, connected: 2 };

export interface TrackValues {
  readonly connected: boolean[];
  readonly figures: Partial<Record<QualityFigure, (number | null)[]>>;
}

export class Track {
  private readonly size: number;
  private readonly presence: Uint8Array;
  private readonly columns = new Map<QualityFigure, Float32Array>();
  private next = 0;

  constructor(size: number) {
    this.size = size;
    this.presence = new Uint8Array(size).fill(unknown);
  }

  get bytes(): number {
    let sum = this.presence.byteLength;
    for (const column of this.columns.values()) sum += column.byteLength;
    return sum;
  }

  push(presence: Presence, sample: Sample): void {
    this.presence[this.next] = codes[presence];
    for (const figure of qualityFigures) {
      const value = sample[figure] ?? Number.NaN;
      const column = this.columns.get(figure) ?? (Number.isNaN(value) ? undefined : this.addColumn(figure));
      if (column) column[this.next] = value;
    }
    this.next = (this.next + 1) % this.size;
  }

  /** Returns at most the newest `count` steps, the newest last; none from before the first. */
  values(count: number): TrackValues {
    const known = this.presence.reduce((sum, code) => sum + (code === unknown ? 0 : 1), 0);
    const length = Math.min(count, known);
    const at = (i: number) => (this.next + this.size - length + i) % this.size;
    const order = Array.from({ length }, (_, i) => at(i));
    const figures: TrackValues['figures'] = {};
    for (const [figure, column] of this.columns) figures[figure] = order.map((i) => rounded(column[i]));
    return { connected: order.map((i) => this.presence[i] === codes.connected), figures };
  }

  private addColumn(figure: QualityFigure): Float32Array {
    const column = new Float32Array(this.size).fill(Number.NaN);
    this.columns.set(figure, column);
    return column;
  }
}

function rounded(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Math.round(value * 100) / 100;
}

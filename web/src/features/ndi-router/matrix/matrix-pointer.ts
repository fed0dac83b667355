/** The pointer on the matrix. The crosshair is moved directly in the DOM, so that nothing is rendered again. */
import type { Place } from './grid-moves.ts';

/** The crosspoint or head that an element of the matrix belongs to. */
export function placeOf(target: EventTarget | null): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;
  const row = cell?.closest<HTMLElement>('[data-row]');
  if (!cell || !row) return undefined;
  return { row: Number(row.dataset.row), column: Number(cell.dataset.column) };
}

interface Sizes {
  readonly line: number;
  readonly side: number;
  readonly head: number;
}

/** Moves the crosshair, which has a strip for the row and one for the column; undefined hides it. */
export function crossAt(cross: HTMLElement | null, place: Place | undefined, { line, side, head }: Sizes): void {
  const [across, down] = (cross?.children ?? []) as unknown as HTMLElement[];
  if (!across || !down) return;
  across.style.transform = place === undefined || place.row < 0 ? '' : `translateY(${head + place.row * line}px)`;
  down.style.transform = place === undefined || place.column < 0 ? '' : `translateX(${side + place.column * line}px)`;
  across.hidden = across.style.transform === '';
  down.hidden = down.style.transform === '';
}

/** The input whose column, or whose output's row, the pointer or the keyboard is at: the matrix shows its picture. */
import { create } from 'zustand';

/** A pointer that only passes over columns requests no pictures. */
const settleMs = 150;

interface Pointed {
  readonly input: number | undefined;
}

export const usePointedInput = create<Pointed>(() => ({ input: undefined }));

let timer: ReturnType<typeof setTimeout> | undefined;

export function pointAtInput(input: number | undefined): void {
  clearTimeout(timer);
  timer = setTimeout(() => usePointedInput.setState({ input }), settleMs);
}

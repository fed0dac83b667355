import { create } from 'zustand';
import type { SourceTest } from '../../../../daemon/contract/inputs.ts';

interface LastTest {
  readonly outcome: SourceTest;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The newest test of each input that was tested in this window; the hub keeps none. */
export const useLastTests = create<Readonly<Record<number, LastTest>>>(() => ({}));

export function keepTest(input: number, outcome: SourceTest): void {
  useLastTests.setState({ [input]: { outcome, time: Date.now() } });
}

import { useCallback, useState } from 'react';

export interface Act<Input> {
  readonly isPending: boolean;
  readonly error: unknown;
  /** Resolves to true if the act succeeded. */
  readonly run: (input: Input) => Promise<boolean>;
}

/** Runs one act at a time and tracks its state; for pages that load without mutations of the query library. */
export function useAct<Input>(act: (input: Input) => Promise<void>): Act<Input> {
  const [state, setState] = useState<{ isPending: boolean; error: unknown }>({ isPending: false, error: undefined });
  const run = useCallback(
    async (input: Input) => {
      setState({ isPending: true, error: undefined });
      try {
        await act(input);
        setState({ isPending: false, error: undefined });
        return true;
      } catch (error) {
        setState({ isPending: false, error });
        return false;
      }
    },
    [act],
  );
  return { ...state, run };
}

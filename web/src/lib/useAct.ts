import { useCallback, useState } from 'react';

interface Act<Input> {
  readonly isPending: boolean;
  readonly error: unknown;
  /** True when it succeeded. */
  readonly run: (input: Input) => Promise<boolean>;
}

/** One act at a time with its state; for the pages that are shown before the query library is loaded. */
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

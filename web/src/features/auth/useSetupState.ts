import { useEffect, useState } from 'react';
import { connection } from '../../api/connection.ts';
import { askSetupState, type SetupState } from '../../shared/password/auth-calls.ts';

/** Whether the hub still needs its first password; undefined until it has responded. */
export function useSetupState(): SetupState | undefined {
  const [state, setState] = useState<SetupState>();
  useEffect(() => {
    const ask = () => void askSetupState().then(setState, connection.suspect);
    ask();
    return connection.onRecovered(ask);
  }, []);
  return state;
}

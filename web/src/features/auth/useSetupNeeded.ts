import { useEffect, useState } from 'react';
import { connection } from '../../api/connection.ts';
import { isSetupNeeded } from './auth-calls.ts';

/** Whether the hub still waits for its first password; undefined until it has answered. */
export function useSetupNeeded(): boolean | undefined {
  const [needed, setNeeded] = useState<boolean>();
  useEffect(() => {
    const ask = () => void isSetupNeeded().then(setNeeded, connection.suspect);
    ask();
    return connection.onRecovered(ask);
  }, []);
  return needed;
}

import type { OperationChange } from '../../contract/logs.ts';
import type { DeviceRow } from './store.ts';

/** For the operation log. */
export function describeChange(change: Partial<DeviceRow>): OperationChange[] {
  const { name, address, user, password, pin, oscPort = null } = change;
  return [
    ...(name === undefined ? [] : [{ word: 'name', value: name } as const]),
    ...(address === undefined ? [] : [{ word: 'address', value: address } as const]),
    ...(oscPort === null ? [] : [{ word: 'oscPort', value: `${oscPort}` } as const]),
    ...(user === undefined ? [] : [{ word: 'deviceUser', value: user } as const]),
    ...(password === undefined ? [] : [{ word: 'password' } as const]),
    ...(pin === undefined ? [] : [{ word: 'certificate' } as const]),
  ];
}

import type { OperationChange } from '../../contract/logs.ts';
import type { DeviceRow } from './store.ts';

/** For the operation log. */
export function describeChange({ name, address, user, password, pin }: Partial<DeviceRow>): OperationChange[] {
  return [
    ...(name === undefined ? [] : [{ word: 'name', value: name } as const]),
    ...(address === undefined ? [] : [{ word: 'address', value: address } as const]),
    ...(user === undefined ? [] : [{ word: 'deviceUser', value: user } as const]),
    ...(password === undefined ? [] : [{ word: 'password' } as const]),
    ...(pin === undefined ? [] : [{ word: 'certificate' } as const]),
  ];
}

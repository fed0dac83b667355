/** Changes of a forward for the operation log. */
import type { OperationChange } from '../../contract/logs.ts';
import type { StoredForward } from './store.ts';

const fact = (word: OperationChange['word'], value: unknown): OperationChange[] =>
  value === undefined ? [] : [{ word, value: String(value) }];

export function describeChange(change: Partial<StoredForward>): OperationChange[] {
  const { name, remotePort, localPort, address, isPermanent, idleMinutes } = change;
  return [
    ...fact('name', name),
    ...fact('devicePort', remotePort),
    ...fact('address', address),
    ...(localPort === 0 ? [{ word: 'anyPort' } as const] : fact('port', localPort)),
    ...fact('permanent', isPermanent),
    ...(idleMinutes === 0 ? [{ word: 'noIdleLimit' } as const] : fact('idleMinutes', idleMinutes)),
  ];
}

/** The name is the subject of the entry. */
export function describeNew({ name, address, ...rest }: Partial<StoredForward>): OperationChange[] {
  return [...fact('firstAddress', address), ...describeChange(rest)];
}

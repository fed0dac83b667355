/** Rows of devices that are streams. */
import { isDeepStrictEqual } from 'node:util';
import type { OperationChange } from '../../contract/logs.ts';
import type { StreamDevice } from '../../devices/driver.ts';
import { labelOf } from '../../sources/stream-address.ts';
import { readStreamEntry, type StreamEntry, type StreamOfDevice, userOf } from '../../sources/stream-device.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openStream, sealStream } from '../../store/stored-address.ts';
import { describeChange } from './change.ts';
import type { DeviceRow } from './store.ts';

/** The columns that follow from the stream. `address` is free of secrets. */
export function streamColumns(secrets: Pick<Secrets, 'seal'>, stream: StreamOfDevice) {
  const { source } = stream;
  return { address: labelOf(source), user: userOf(source), stream: sealStream(secrets, stream) };
}

/**
 * What a call changes: the columns, and the entries for the operation log. Throws a `HubError` that names the field.
 */
export function streamChange(
  secrets: Pick<Secrets, 'open' | 'seal'>,
  row: DeviceRow,
  { address, user, password, snapshot }: StreamEntry,
): { readonly columns: Partial<DeviceRow>; readonly changes: (stored: Partial<DeviceRow>) => OperationChange[] } {
  const kept = openStream(secrets, row.stream);
  const isAsked = [address, user, password, snapshot].some((member) => member !== undefined);
  const next = isAsked ? readStreamEntry({ address, user, password, snapshot }, kept) : kept;
  const isChanged = next !== undefined && !isDeepStrictEqual(next, kept);
  const [before, now] = [kept, next].map((stream) => ({ password: '', ...stream?.source }));
  return {
    columns: isChanged ? streamColumns(secrets, next) : {},
    changes: ({ name, pin }) => [
      ...describeChange({ ...(name !== undefined && { name }), ...(pin !== undefined && { pin }) }),
      ...(isChanged && !isDeepStrictEqual({ ...before, password: '' }, { ...now, password: '' })
        ? [{ word: 'address', value: labelOf(next.source) } as const]
        : []),
      ...(isChanged && before?.password !== now?.password ? [{ word: 'password' } as const] : []),
      ...(isChanged && kept?.snapshot !== next.snapshot ? [{ word: 'snapshot' } as const] : []),
    ],
  };
}

/**
 * Returns the serial number of such a device. It depends on the address without its login, and on the key of the hub, so
 * that a serial number does not help to guess a stream key.
 */
export function serialOf(secrets: Pick<Secrets, 'derive'>, { source }: StreamOfDevice): string {
  const { username: _, password: __, passphrase: ___, ...address } = source as unknown as Record<string, unknown>;
  const members = Object.entries(address).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `S${secrets
    .derive(`device ${JSON.stringify(members)}`)
    .toString('hex')
    .slice(0, 16)
    .toUpperCase()}`;
}

/** Where the transport connects to, and what is read there. */
export function snapshotPlace({ snapshot }: StreamOfDevice): { readonly address: string; readonly path?: string } {
  const url = URL.parse(snapshot);
  return url === null ? { address: '' } : { address: url.origin, path: `${url.pathname}${url.search}` };
}

export function streamDevice({ sn, name }: Pick<DeviceRow, 'sn' | 'name'>, stream: StreamOfDevice) {
  const { path } = snapshotPlace(stream);
  const device: Omit<StreamDevice, 'look'> = {
    ...{ sn, name, source: stream.source },
    ...(path !== undefined && { snapshot: path }),
  };
  return device;
}

/** Streams that devices state and the hub opens itself: for channels whose input they are, and for pictures. */
import { isDeepStrictEqual } from 'node:util';
import { isPulled } from '../../contract/device-catalog.ts';
import { readDeviceAddress } from '../../contract/device-fields.ts';
import type { StreamUse } from '../../devices/driver.ts';
import { HubError } from '../../lib/hub-error.ts';
import { atHost, type PulledSource } from '../../sources/stream-device.ts';
import { openPulled, sealPulled } from '../../store/stored-address.ts';
import type { OwnDevice } from './inventory.ts';
import { refusalOf } from './problem-result.ts';
import type { Reports } from './reports.ts';
import type { DeviceContext } from './service.ts';
import { type DeviceRow, updateDevices } from './store.ts';

/** How often a device is asked whether it states another stream. */
const againMs = 60_000;

/** Returns the stream at the address of the device; undefined if the hub reaches none. */
export async function statedStream(
  reports: Pick<Reports, 'stream'>,
  { row }: OwnDevice,
  use: StreamUse,
): Promise<PulledSource | undefined> {
  if (row.link !== 'direct') return undefined;
  const source = await reports.stream(row.sn, use);
  // A device that is a stream has no other address.
  const host = row.stream === null ? readDeviceAddress(row.address)?.host : undefined;
  return source === undefined || host === undefined ? source : atHost(source, host);
}

type PulledContext = Pick<DeviceContext, 'db' | 'secrets' | 'inventory' | 'reports' | 'channels' | 'log'>;

export function createPulledStreams({ db, secrets, inventory, reports, channels, log }: PulledContext) {
  /** When the device was asked last, and with which row. */
  const asked = new Map<string, { readonly row: DeviceRow; readonly at: number }>();
  /** Devices of the driver `stream` are not asked: what they are was entered. */
  const isAsked = ({ api }: DeviceRow) => api !== 'stream' && isPulled(api);

  const store = ({ id, sn, pulled }: DeviceRow, source: PulledSource): boolean => {
    if (isDeepStrictEqual(openPulled(secrets, pulled), source)) return false;
    updateDevices(db, [id], { pulled: sealPulled(secrets, source) });
    inventory.reload([sn]);
    return true;
  };
  const follow = async (own: OwnDevice): Promise<void> => {
    const source = await statedStream(reports, own, 'input');
    const row = inventory.devices().get(own.row.sn)?.row;
    if (source === undefined || row?.id !== own.row.id || row.pulled === null) return;
    if (store(row, source)) channels.applyDesired();
  };

  return {
    /** Stores what the hub has to open. Throws a `HubError` if the device states nothing that the hub reaches. */
    async prepare(own: OwnDevice): Promise<void> {
      const { row } = own;
      if (!isAsked(row)) return;
      if (row.link === 'agent') {
        const why =
          'its agent carries no streams of the device, only its API: add the device by an address that the hub reaches';
        throw new HubError('unsupported', `'${row.name}' cannot be the input of a channel: ${why}`, {
          params: { what: row.name },
        });
      }
      const source = await statedStream(reports, own, 'input').catch((error: unknown) => {
        throw refusalOf(error, row.name);
      });
      if (source === undefined) {
        throw new HubError('unsupported', `'${row.name}' reports no RTSP stream`, { params: { what: row.name } });
      }
      store(row, source);
    },
    /** Asks devices that are online again whether they state another stream, at once after a change of the device. */
    follow(own: OwnDevice, isInput: boolean): void {
      const { row } = own;
      if (!isInput || !isAsked(row) || row.pulled === null) {
        asked.delete(row.sn);
        return;
      }
      const before = asked.get(row.sn);
      if (before?.row === row && performance.now() - before.at < againMs) return;
      asked.set(row.sn, { row, at: performance.now() });
      follow(own).catch((error: unknown) =>
        log.warn('a device did not state its stream', { peer: row.sn, reason: String(error) }),
      );
    },
    forget: (sn: string): void => void asked.delete(sn),
  };
}

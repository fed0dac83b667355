/** Where a device sends for a channel, and what it plays of one: an address of the hub with protocol, key and latency. */
import { isIP } from 'node:net';
import { readDeviceAddress } from '../../contract/device-fields.ts';
import type { StreamSource, StreamTarget } from '../../devices/driver.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { isLoopback } from '../../lib/outgoing-address.ts';
import type { ConfiguredChannel } from '../channels/configuration.ts';
import { settledConnection } from './connection.ts';
import type { OwnDevice } from './inventory.ts';
import type { DeviceContext } from './service.ts';

/** Name of the hub's entry in the lists of a device; a later one replaces it. */
export const entryName = 'Signalbox';
/** Any application is accepted. */
const rtmpApp = 'live';

export type Places = ReturnType<typeof createPlaces>;

/** The functions throw a `HubError` if the channel or the hub takes no stream of devices. */
export function createPlaces({ inventory, listeners }: Pick<DeviceContext, 'inventory' | 'listeners'>) {
  const settled = (own: OwnDevice, channel: ConfiguredChannel) => {
    const connection = settledConnection(own.row.connection, inventory.global().connection, channel);
    if (connection !== null) return connection;
    throw fieldError('channel', 'required', `allow RTMP or SRT in '${channel.name}' first`);
  };
  /** The host by which the device reaches the hub: the one that it was told, as long as the hub has it. */
  const hostFor = ({ row }: OwnDevice, told: string | undefined): string => {
    const addresses = listeners.addresses();
    const [best] = addresses;
    if (told !== undefined && addresses.includes(told)) return told;
    if (best !== undefined) return best;
    const host = readDeviceAddress(row.address)?.host ?? '';
    if (host === 'localhost' || (isIP(host) !== 0 && isLoopback(host))) return '127.0.0.1';
    throw new HubError('wrongState', 'the hub listens only on loopback, so devices cannot reach it');
  };

  return {
    target(own: OwnDevice, channel: ConfiguredChannel, told?: StreamTarget): StreamTarget {
      const { protocol, latencyMs, stream } = settled(own, channel).input;
      const host = hostFor(own, told?.host);
      const place = { name: entryName, protocol, host, port: listeners.ports()[protocol], stream };
      if (protocol === 'rtmp') return { ...place, app: rtmpApp, key: own.row.pushKey };
      const { passphrase } = listeners.srt();
      return { ...place, key: own.row.pushKey, latencyMs, ...(passphrase !== '' && { passphrase }) };
    },
    source(own: OwnDevice, channel: ConfiguredChannel, told?: StreamSource): StreamSource {
      const { protocol, latencyMs, bufferMs } = settled(own, channel).output;
      const name = hostFor(own, told && hostOf(told.url));
      const host = `${isIP(name) === 6 ? `[${name}]` : name}:${listeners.ports()[protocol]}`;
      const key = encodeURIComponent(channel.playKey);
      const { passphrase } = listeners.srt();
      const secret = passphrase === '' ? '' : `&passphrase=${encodeURIComponent(passphrase)}`;
      const url =
        protocol === 'rtmp'
          ? `rtmp://${host}/${rtmpApp}/${key}`
          : `srt://${host}?mode=caller&streamid=${key}&latency=${latencyMs}${secret}`;
      return { name: entryName, url, ...(bufferMs > 0 && { bufferMs }) };
    },
  };
}

const hostOf = (url: string) => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '');

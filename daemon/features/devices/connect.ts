/** Makes a device the input of a channel, or lets it play one: sets up the device first, then stores it on the hub. */
import { isIP } from 'node:net';
import { readDeviceAddress } from '../../contract/device-fields.ts';
import { regStates } from '../../contract/device-states.ts';
import type { deviceApi } from '../../contract/devices.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { directions } from '../../contract/streams.ts';
import type { StreamSource, StreamTarget } from '../../devices/driver.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { isLoopback } from '../../lib/outgoing-address.ts';
import { inUse, notExist } from '../../lib/refusals.ts';
import { transaction } from '../../store/database.ts';
import type { ConfiguredChannel } from '../channels/configuration.ts';
import { settledConnection } from './connection.ts';
import type { OwnDevice } from './inventory.ts';
import { offline, unknownDevice } from './problem-result.ts';
import { type DeviceContext, notAccepted } from './service.ts';
import { deviceEdit, updateDevices } from './store.ts';
import { directionOf } from './view.ts';

/** Name of the hub's entry in the lists of a device; a later one replaces it. */
const entryName = 'Signalbox';
/** Any application is accepted. */
const rtmpApp = 'live';

type Request = BodyOf<typeof deviceApi.connect>;
type Side = 'input' | 'output';

export function createDeviceConnector(context: DeviceContext) {
  const { db, audit, reports, channels, listeners, log } = context;
  const published = ({ row }: OwnDevice) => channels.configured().find(({ device }) => device?.id === row.id);

  const settled = (own: OwnDevice, channel: ConfiguredChannel) => {
    const connection = settledConnection(own.row.connection, context.inventory.global().connection, channel);
    if (connection !== null) return connection;
    throw fieldError('channel', 'required', `allow RTMP or SRT in '${channel.name}' first`);
  };
  /** The host by which the device reaches the hub. */
  const hostFor = ({ row }: OwnDevice): string => {
    const [best] = listeners.addresses();
    if (best !== undefined) return best;
    const host = readDeviceAddress(row.address)?.host ?? '';
    if (host === 'localhost' || (isIP(host) !== 0 && isLoopback(host))) return '127.0.0.1';
    throw new HubError('wrongState', 'the hub listens on this machine only, so no device reaches it');
  };
  const targetOf = (own: OwnDevice, channel: ConfiguredChannel): StreamTarget => {
    const { protocol, latencyMs, stream } = settled(own, channel).input;
    const place = { name: entryName, protocol, host: hostFor(own), port: listeners.ports()[protocol], stream };
    if (protocol === 'rtmp') return { ...place, app: rtmpApp, key: own.row.pushKey };
    const { passphrase } = listeners.srt();
    return { ...place, key: own.row.pushKey, latencyMs, ...(passphrase !== '' && { passphrase }) };
  };
  const sourceOf = (own: OwnDevice, channel: ConfiguredChannel): StreamSource => {
    const { protocol, latencyMs, bufferMs } = settled(own, channel).output;
    const name = hostFor(own);
    const host = `${isIP(name) === 6 ? `[${name}]` : name}:${listeners.ports()[protocol]}`;
    const key = encodeURIComponent(channel.playKey);
    const { passphrase } = listeners.srt();
    const secret = passphrase === '' ? '' : `&passphrase=${encodeURIComponent(passphrase)}`;
    const url =
      protocol === 'rtmp'
        ? `rtmp://${host}/${rtmpApp}/${key}`
        : `srt://${host}?mode=caller&streamid=${key}&latency=${latencyMs}${secret}`;
    return { name: entryName, url, ...(bufferMs > 0 && { bufferMs }) };
  };
  const send = (own: OwnDevice, channel: ConfiguredChannel) =>
    reports.act(own, async ({ sendTo }, signal) => {
      if (sendTo === undefined) throw new DeviceProblem('unsupported', 'it cannot be told where to send');
      await sendTo(targetOf(own, channel), signal);
    });
  const play = (own: OwnDevice, channel: ConfiguredChannel) =>
    reports.act(own, async (session, signal) => {
      if (session.play === undefined) throw new DeviceProblem('unsupported', 'it cannot be told what to play');
      await session.play(sourceOf(own, channel), signal);
    });
  const stop = async (own: OwnDevice): Promise<void> => {
    if (own.row.stream !== null) return;
    try {
      await reports.act(own, (session, signal) => session.stopSendingTo?.(entryName, signal) ?? Promise.resolve());
    } catch (error) {
      // The channel no longer takes its stream, whatever the device does.
      log.warn('a device may continue to send to the hub', { peer: own.row.sn, reason: String(error) });
    }
  };
  const storePlayed = (actor: Actor, { row }: OwnDevice, channel: ConfiguredChannel | undefined): void => {
    transaction<void>(db, (tx) => {
      updateDevices(tx, [row.id], { playsChannelId: channel?.id ?? null });
      const action = channel ? 'device.play' : 'device.noPlay';
      const changes = channel ? ([{ word: 'forChannel', value: channel.name }] as const) : [];
      audit.record(tx, actor, { action, subject: row.name, changes, edited: [deviceEdit(row.id)] });
    });
    context.onStored([row.sn]);
  };

  const end = async (actor: Actor, own: OwnDevice, side: Side | undefined): Promise<void> => {
    const channel = published(own);
    if (side !== 'output' && channel !== undefined) {
      channels.setInputDevice(actor, { id: channel.id, deviceId: 0 });
      context.onStored([own.row.sn]);
      await stop(own);
    }
    if (side !== 'input' && own.row.playsChannelId !== null) storePlayed(actor, own, undefined);
  };

  /** Another user may have deleted or rejected the device while it was set up. */
  const refuseGone = ({ row }: OwnDevice): void => {
    const now = context.inventory.devices().get(row.sn)?.row;
    if (now?.id !== row.id) throw unknownDevice();
    if (now.regState !== regStates.accepted) throw notAccepted(row.name);
  };
  const refuseUsed = (own: OwnDevice, channel: ConfiguredChannel): void => {
    const { input, device } = channel;
    if (input !== undefined) throw inUse(channel.name, input.name);
    if (device !== undefined && device.id !== own.row.id) throw inUse(channel.name, device.name);
    const other = published(own);
    if (other !== undefined && other.id !== channel.id) throw inUse(own.row.name, other.name);
  };

  return {
    async connect(actor: Actor, own: OwnDevice, { channel: id, dir, force = false }: Request): Promise<void> {
      const { row } = own;
      if (row.regState !== regStates.accepted) throw notAccepted(row.name);
      if (id === 0) return await end(actor, own, dir);
      const able = directions[directionOf(row)];
      const side: Side = dir ?? ((able & directions.input) !== 0 ? 'input' : 'output');
      if ((able & directions[side]) === 0) {
        const message = side === 'input' ? 'cannot be the input of a channel' : 'cannot play a channel';
        throw new HubError('unsupported', `'${row.name}' ${message}`, { params: { what: row.name } });
      }
      const channel = channels.configured().find((one) => one.id === id);
      if (channel === undefined) throw notExist('channel', id);
      // The hub itself opens a stream, also one that is not there yet.
      if (row.stream === null && reports.of(own).connection !== 'online') throw offline(row.name);
      if (side === 'output') {
        await play(own, channel);
        if (!channels.configured().some((one) => one.id === id)) throw notExist('channel', id);
        refuseGone(own);
        storePlayed(actor, own, channel);
        return;
      }
      if (!force) refuseUsed(own, channel);
      if (row.stream === null) await send(own, channel);
      try {
        refuseGone(own);
        channels.setInputDevice(actor, { id, deviceId: row.id });
      } catch (error) {
        // The channel has changed meanwhile.
        await stop(own);
        throw error;
      }
      context.onStored([row.sn]);
    },
    /** Tells a device again where to send or what to play, after its connection was configured. Never rejects. */
    async again(own: OwnDevice): Promise<void> {
      if (reports.of(own).connection !== 'online') return;
      const sending = published(own);
      const playing = channels.configured().find(({ id }) => id === own.row.playsChannelId);
      try {
        if (sending && own.row.stream === null) await send(own, sending);
        if (playing) await play(own, playing);
      } catch (error) {
        log.warn('a device did not take its new connection', { peer: own.row.sn, reason: String(error) });
      }
    },
  };
}

/**
 * Makes a device the input of a channel, or lets it play one: sets up the device first, then stores it on the hub. What
 * the device has to do may change later, by the channel, the settings or while it is offline: then it is told again.
 */
import { isDeepStrictEqual } from 'node:util';
import { isPulled } from '../../contract/device-catalog.ts';
import { regStates } from '../../contract/device-states.ts';
import type { deviceApi } from '../../contract/devices.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { directions } from '../../contract/streams.ts';
import type { StreamSource, StreamTarget } from '../../devices/driver.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { inUse, notExist } from '../../lib/refusals.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { transaction } from '../../store/database.ts';
import type { ConfiguredChannel } from '../channels/configuration.ts';
import type { OwnDevice } from './inventory.ts';
import { createPlaces, entryName } from './places.ts';
import { offline, unknownDevice } from './problem-result.ts';
import { createPulledStreams } from './pulled.ts';
import { type DeviceContext, notAccepted } from './service.ts';
import { deviceEdit, updateDevices } from './store.ts';
import { createToldStore, type Told } from './told.ts';
import { directionOf } from './view.ts';

type Request = BodyOf<typeof deviceApi.connect>;
type Side = 'input' | 'output';

/** Pause before a device is told again that refused. */
const refusedMs = 60_000;
/** A device that is about to be deleted has this long to take that it shall end its streams. */
const releaseMs = 5000;

export function createDeviceConnector(context: DeviceContext) {
  const { db, audit, reports, channels, inventory, log, now } = context;
  const places = createPlaces(context);
  const told = createToldStore(context);
  const pulled = createPulledStreams(context);
  const published = ({ row }: OwnDevice) => channels.configured().find(({ device }) => device?.id === row.id);
  const played = ({ row }: OwnDevice) => channels.configured().find(({ id }) => id === row.playsChannelId);

  const turns = new Map<string, { readonly inTurn: ReturnType<typeof createSemaphore>; users: number }>();
  /** One after the other for each device, so that what a device was told and what is stored agree. */
  const inTurn = async <T>(sn: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.get(sn) ?? { inTurn: createSemaphore({ atOnce: 1, longestLine: 16 }), users: 0 };
    turns.set(sn, turn);
    turn.users += 1;
    try {
      return await turn.inTurn(work);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(sn);
    }
  };

  const send = (own: OwnDevice, target: StreamTarget) =>
    reports.act(own, async ({ sendTo }, signal) => {
      if (sendTo === undefined) throw new DeviceProblem('unsupported', 'it cannot be told where to send');
      await sendTo(target, signal);
    });
  const play = (own: OwnDevice, source: StreamSource) =>
    reports.act(own, async (session, signal) => {
      if (session.play === undefined) throw new DeviceProblem('unsupported', 'it cannot be told what to play');
      await session.play(source, signal);
    });
  const stopSending = (own: OwnDevice) =>
    reports.act(own, (session, signal) => session.stopSendingTo?.(entryName, signal) ?? Promise.resolve());
  const stopPlaying = (own: OwnDevice) =>
    reports.act(own, (session, signal) => session.stopPlaying?.(entryName, signal) ?? Promise.resolve());

  /** What the device should do now. If the channel or the hub takes no stream at present, nothing changes. */
  const wanted = (own: OwnDevice): Told => {
    const before = told.of(own.row);
    const orSame = <T>(place: () => T, same: T | undefined): T | undefined => {
      try {
        return place();
      } catch (error) {
        if (error instanceof HubError) return same;
        throw error;
      }
    };
    // The hub itself opens a stream.
    const from = isPulled(own.row.api) ? undefined : published(own);
    const to = played(own);
    return {
      input: from && orSame(() => places.target(own, from, before.input), before.input),
      output: to && orSame(() => places.source(own, to, before.output), before.output),
    };
  };
  const isRight = (own: OwnDevice, side: Side): boolean => isDeepStrictEqual(wanted(own)[side], told.of(own.row)[side]);
  const onlineDevice = (sn: string): OwnDevice | undefined => {
    const own = inventory.devices().get(sn);
    const isOnline = own?.row.regState === regStates.accepted && reports.of(own).connection === 'online';
    return isOnline ? own : undefined;
  };

  /** Tells a device that is online what has changed. Rejects with the refusal of the device. */
  const tell = (sn: string): Promise<void> =>
    inTurn(sn, async () => {
      for (const side of ['input', 'output'] as const) {
        const own = onlineDevice(sn);
        if (own === undefined || isRight(own, side)) continue;
        const { input, output } = wanted(own);
        if (side === 'input') await (input ? send(own, input) : stopSending(own));
        else await (output ? play(own, output) : stopPlaying(own));
        told.store(own.row, side === 'input' ? { input } : { output });
      }
    });
  const telling = new Set<string>();
  const pausedUntil = new Map<string, number>();
  const tellOrLog = async (sn: string): Promise<void> => {
    telling.add(sn);
    try {
      await tell(sn);
      pausedUntil.delete(sn);
    } catch (error) {
      pausedUntil.set(sn, now() + refusedMs);
      log.warn('a device did not take what to send or to play', { peer: sn, reason: String(error) });
    } finally {
      telling.delete(sn);
    }
  };

  /** Tells those of the devices that are online what has changed; one that refused, only if it is news or after a pause. */
  function check(sns: readonly string[], { isNews }: { readonly isNews: boolean }): void {
    for (const sn of sns) {
      const row = inventory.devices().get(sn)?.row;
      if (row === undefined) {
        pausedUntil.delete(sn);
        pulled.forget(sn);
      }
      if (telling.has(sn) || (!isNews && now() < (pausedUntil.get(sn) ?? 0))) continue;
      const own = onlineDevice(sn);
      if (own !== undefined) pulled.follow(own, published(own) !== undefined);
      if (own === undefined || (isRight(own, 'input') && isRight(own, 'output'))) continue;
      // It may have changed again meanwhile.
      void tellOrLog(sn).then(() => check([sn], { isNews: false }));
    }
  }

  const storePlayed = (actor: Actor, { row }: OwnDevice, to?: { channel: ConfiguredChannel; source: StreamSource }) => {
    transaction<void>(db, (tx) => {
      const change = to ? { playsChannelId: to.channel.id, ...told.changed(row, { output: to.source }) } : {};
      updateDevices(tx, [row.id], { playsChannelId: null, ...change });
      const changes = to ? ([{ word: 'forChannel', value: to.channel.name }] as const) : [];
      const action = to ? 'device.play' : 'device.noPlay';
      audit.record(tx, actor, { action, subject: row.name, changes, edited: [deviceEdit(row.id)] });
    });
    context.onStored([row.sn]);
  };

  const end = async (actor: Actor, own: OwnDevice, side: Side | undefined): Promise<void> => {
    const { sn } = own.row;
    const channel = published(own);
    if (side !== 'output' && channel !== undefined) {
      channels.setInputDevice(actor, { id: channel.id, deviceId: 0 });
      context.onStored([sn]);
    }
    if (side !== 'input' && own.row.playsChannelId !== null) storePlayed(actor, own);
    // A device that is offline or refuses is told later: the channel no longer takes its stream, whatever it does.
    await tellOrLog(sn);
  };

  /** Another user may have deleted or rejected the device while it was set up. */
  const refuseGone = ({ row }: OwnDevice): void => {
    const present = inventory.devices().get(row.sn)?.row;
    if (present?.id !== row.id) throw unknownDevice();
    if (present.regState !== regStates.accepted) throw notAccepted(row.name);
  };
  const refuseUsed = (own: OwnDevice, channel: ConfiguredChannel): void => {
    const { input, device } = channel;
    if (input !== undefined) throw inUse(channel.name, input.name);
    if (device !== undefined && device.id !== own.row.id) throw inUse(channel.name, device.name);
    const other = published(own);
    if (other !== undefined && other.id !== channel.id) throw inUse(own.row.name, other.name);
  };

  const begin = async (actor: Actor, { row: { sn } }: OwnDevice, { channel: id, dir, force }: Request) => {
    const own = inventory.devices().get(sn);
    if (own === undefined) throw unknownDevice();
    const { row } = own;
    const able = directions[directionOf(row)];
    const side: Side = dir ?? ((able & directions.input) !== 0 ? 'input' : 'output');
    if ((able & directions[side]) === 0) {
      const message = side === 'input' ? 'cannot be the input of a channel' : 'cannot play a channel';
      throw new HubError('unsupported', `'${row.name}' ${message}`, { params: { what: row.name } });
    }
    const channel = channels.configured().find((one) => one.id === id);
    if (channel === undefined) throw notExist('channel', id);
    // A stream that was entered need not be there yet.
    if (row.stream === null && reports.of(own).connection !== 'online') throw offline(row.name);
    if (side === 'output') {
      const source = places.source(own, channel);
      await play(own, source);
      if (!channels.configured().some((one) => one.id === id)) throw notExist('channel', id);
      refuseGone(own);
      storePlayed(actor, own, { channel, source });
      return;
    }
    if (force !== true) refuseUsed(own, channel);
    await pulled.prepare(own);
    if (!isPulled(row.api)) {
      const target = places.target(own, channel);
      await send(own, target);
      told.store(row, { input: target });
    }
    try {
      refuseGone(own);
      channels.setInputDevice(actor, { id, deviceId: row.id });
    } finally {
      // If the channel has changed meanwhile, the device is told to stop.
      context.onStored([sn]);
    }
  };

  const releaseOnline = async (online: readonly OwnDevice[]): Promise<void> => {
    for (const { row } of online) telling.add(row.sn);
    const stops = online.flatMap((own) => {
      const { input, output } = told.of(own.row);
      return [...(input ? [stopSending(own)] : []), ...(output ? [stopPlaying(own)] : [])];
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, releaseMs);
    });
    await Promise.race([Promise.allSettled(stops), enough]);
    clearTimeout(timer);
    for (const { row } of online) telling.delete(row.sn);
  };

  return {
    async connect(actor: Actor, own: OwnDevice, request: Request): Promise<void> {
      const { row } = own;
      if (row.regState !== regStates.accepted) throw notAccepted(row.name);
      if (request.channel === 0) return await end(actor, own, request.dir);
      await inTurn(row.sn, () => begin(actor, own, request));
    },
    check,
    /**
     * Tells devices that are about to be deleted or rejected to end their streams for the hub. Never rejects. Returns
     * undefined if none of them has any.
     */
    release(devices: readonly OwnDevice[]): Promise<void> | undefined {
      const online = devices.filter(({ row }) => row.told !== null && onlineDevice(row.sn) !== undefined);
      return online.length === 0 ? undefined : releaseOnline(online);
    },
  };
}

/** Many simulated devices of all kinds in one process, with the names and serial numbers of a real fleet. */
import { ApiPathDevice } from './api-path.ts';
import type { DeviceOptions, SimulatedDevice } from './device.ts';
import { MwapiDevice } from './mwapi.ts';
import { startPlayer, startPublisher } from './publisher.ts';
import { UsapiDevice } from './usapi.ts';

export interface FleetOptions {
  readonly count: number;
  /** Whether encoders that are live send real streams, and decoders play them; each takes an FFmpeg process. */
  readonly hasMedia: boolean;
}

type Make = (options: DeviceOptions, hasMedia: boolean) => SimulatedDevice;

interface Kind {
  /** Hardware version and product id, with which a serial number begins. */
  readonly serial: string;
  readonly noun: string;
  readonly make: Make;
}

const kinds: readonly Kind[] = [
  {
    serial: 'B313',
    noun: 'encoder',
    make: (options, hasMedia) =>
      new UsapiDevice({ ...options, kind: 'encode', showNameMs: 3000, ...(hasMedia && { publish: startPublisher }) }),
  },
  {
    serial: 'B401',
    noun: 'camera',
    make: (options) => new MwapiDevice({ ...options, kind: 'encoder' }),
  },
  {
    serial: 'A421',
    noun: 'screen',
    make: (options, hasMedia) =>
      new MwapiDevice({ ...options, kind: 'decoder', switchMs: 2000, ...(hasMedia && { play: startPlayer }) }),
  },
  {
    serial: 'A302',
    noun: 'streamer',
    make: (options, hasMedia) =>
      new UsapiDevice({ ...options, kind: 'stream', ...(hasMedia && { publish: startPublisher }) }),
  },
  {
    serial: 'A442',
    noun: 'wall screen',
    make: (options) => new ApiPathDevice({ ...options, kind: 'decoder', switchMs: 2000 }),
  },
  {
    serial: 'A424',
    noun: 'sound',
    make: (options) => new ApiPathDevice({ ...options, kind: 'audio' }),
  },
];

const rooms = ['Main hall', 'Foyer', 'Studio', 'Stage left', 'Chapel', 'Control room', 'Lobby', 'Lecture hall'];
const perDay = 1000;
const longestFleet = 28 * 12 * perDay;

/** Returns the same devices for the same options. */
export function makeFleet({ count, hasMedia }: FleetOptions): SimulatedDevice[] {
  if (!Number.isInteger(count) || count < 1 || count > longestFleet) {
    throw new Error(`a fleet has 1 to ${longestFleet} devices`);
  }
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length];
    if (kind === undefined) throw new Error('no kinds of devices');
    const room = rooms[Math.floor(index / kinds.length) % rooms.length];
    const name = `${room} ${kind.noun} ${index + 1}`;
    const address = `10.20.${30 + Math.floor(index / 200)}.${11 + (index % 200)}`;
    return kind.make({ sn: serialOf(kind.serial, index), name, address }, hasMedia);
  });
}

function serialOf(kind: string, index: number): string {
  const day = Math.floor(index / perDay);
  const two = (value: number) => `${value}`.padStart(2, '0');
  return `${kind}24${two(1 + Math.floor(day / 28))}${two(1 + (day % 28))}${`${index % perDay}`.padStart(3, '0')}`;
}

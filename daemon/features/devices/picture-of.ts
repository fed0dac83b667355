/** Where the picture of a device comes from: from itself, from the channel that has its stream, or from its stream. */
import type { DevicePorts } from '../../devices/ports.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { inputIdOf } from '../../sources/stream-device.ts';
import type { DeviceDeps } from './deps.ts';
import type { Inventory } from './inventory.ts';
import type { Reports } from './reports.ts';

/** `wait`: there is none yet. */
export type Asked = { readonly jpeg: Uint8Array; readonly restMs: number } | 'wait';

interface Sources {
  readonly inventory: Pick<Inventory, 'devices'>;
  readonly reports: Pick<Reports, 'picture' | 'stream'>;
  readonly ports: Pick<DevicePorts, 'frame'>;
  readonly channels: Pick<DeviceDeps['channels'], 'devicePicture'>;
}

const everyMs = 1000;
/** A picture that is made of the stream of a device takes a connection and a process. */
const frameEveryMs = 5000;
const frameLimitMs = 60_000;

/** Rejects with a `DeviceProblem`: `unsupported` if there is nothing of which a picture could be made. */
export function createPictureFinder({ inventory, reports, ports, channels }: Sources) {
  const ownPicture = async (sn: string): Promise<Uint8Array | undefined> => {
    try {
      return await reports.picture(sn);
    } catch (error) {
      if (error instanceof DeviceProblem && error.word === 'unsupported') return undefined;
      throw error;
    }
  };

  return async (sn: string): Promise<Asked> => {
    const own = inventory.devices().get(sn);
    if (own === undefined) throw new DeviceProblem('unsupported', 'there is no such device');
    const jpeg = await ownPicture(sn);
    if (jpeg !== undefined) return { jpeg, restMs: everyMs };
    const ofChannel = await channels.devicePicture(own.row.id);
    if (ofChannel === 'notYet') return 'wait';
    if (ofChannel !== undefined) return { jpeg: ofChannel, restMs: everyMs };
    const { statedStream } = await import('./pulled.ts');
    const source = await statedStream(reports, own, 'picture');
    if (source === undefined) throw new DeviceProblem('unsupported', 'the device has no picture');
    const frame = await ports.frame({ source, inputId: inputIdOf(own.row.id) }, AbortSignal.timeout(frameLimitMs));
    if (frame === undefined)
      throw new DeviceProblem('timeout', 'no picture could be extracted from its stream in time');
    return { jpeg: frame, restMs: frameEveryMs };
  };
}

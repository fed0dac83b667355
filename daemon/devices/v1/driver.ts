/**
 * Driver of Director Mini. Its HTTP API only acts, and says by its HTTP status whether it did; the state comes over OSC.
 * The device states neither serial number nor name.
 */
import { timing } from '../../timing.ts';
import type { DeviceSession, Driver, OscDevice, StatusType, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { isUnanswered, maxJsonBytes } from '../query-session.ts';
import { factsOf, identityOf, isConfigured, serversOf } from './facts.ts';

export type V1Times = Pick<typeof timing.deviceCall, 'answerMs' | 'actMs' | 'rebootMs'>;

const base = '/V1.0';
const allTypes: readonly StatusType[] = ['recording', 'streaming', 'scene'];

export function createV1Driver(times: V1Times = timing.deviceCall): Driver {
  return {
    api: 'v1',
    // Nothing of the API can be called without acting: an administrator says what the device is.
    recognizes: async () => false,
    open(transport, _credentials, device) {
      if (device === undefined || !('status' in device)) throw new Error('this driver needs a device with OSC');
      return openSession(transport, device, times);
    },
  };
}

function openSession(transport: Transport, device: OscDevice, times: V1Times): DeviceSession {
  const get = (path: string, timeoutMs: number, signal: AbortSignal) =>
    transport.request({ path: base + path, timeoutMs, maxBytes: maxJsonBytes }, signal);

  /** A group without an action does nothing; any status says that the device is there. */
  const checkPresent = async (signal: AbortSignal): Promise<void> => void (await get('/', times.answerMs, signal));

  /** `isDone` reads whether the device did it, if its answer is lost; undefined: that cannot be read. */
  async function act(path: string, signal: AbortSignal, isDone: () => Promise<boolean | undefined>): Promise<void> {
    try {
      const { status } = await get(path, times.actMs, signal);
      if (status >= 200 && status < 300) return;
      const word = status === 401 || status === 403 ? 'noPermission' : status === 404 ? 'unsupported' : 'refused';
      throw new DeviceProblem(word, `${path.replace(/\?.*/, '')}: HTTP status ${status}`, status);
    } catch (error) {
      if (!isUnanswered(error) || (await isDone()) !== true) throw error;
    }
  }

  async function readServers(signal: AbortSignal) {
    return serversOf((await device.status(['streaming'], signal)).get('streaming'));
  }

  async function isLive(signal: AbortSignal): Promise<boolean | undefined> {
    return (await readServers(signal))?.some((server) => server.flag('isStreaming') === true);
  }

  async function isRecording(signal: AbortSignal): Promise<boolean | undefined> {
    const answer = (await device.status(['recording'], signal)).get('recording');
    return answer?.part('recordStatus').flag('recording');
  }

  return {
    async identify(signal) {
      const { size } = await device.status(['recording'], signal);
      if (size === 0) await checkPresent(signal);
      return identityOf(device);
    },
    async poll(signal) {
      const status = await device.status(allTypes, signal);
      if (status.size === 0) await checkPresent(signal);
      return factsOf(device, status);
    },
    async setRecording(on, signal) {
      await act(`/record/${on ? 'start' : 'stop'}`, signal, async () => (await isRecording(signal)) === on);
    },
    async setQuickStream(on, signal) {
      const isDone = async () => (await isLive(signal)) === on;
      if (!on) return await act('/stream/stopAll', signal, isDone);
      const servers = await readServers(signal);
      const id = servers?.find(isConfigured)?.text('id');
      if (servers !== undefined && id === undefined) {
        throw new DeviceProblem('refused', 'no stream server is configured on the device', undefined, 'noQuickStream');
      }
      const which = id === undefined ? 'actionByIndex?index=0' : `actionById?id=${encodeURIComponent(id)}`;
      await act(`/stream/${which}&start=true`, signal, isDone);
    },
    async reboot(signal) {
      // A device that answers nothing any more is restarting.
      await act('/system/reboot', signal, async () => (await device.status(['recording'], signal)).size === 0);
      return { silentMs: times.rebootMs };
    },
    close: async () => {},
  };
}

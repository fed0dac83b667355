/** Driver of Ultra Stream and Ultra Encode. */
import { timing } from '../../timing.ts';
import type { Answer } from '../answer.ts';
import { type Credentials, type DeviceSession, type Driver, repeated, type Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { askWithoutSession, QuerySession } from '../query-session.ts';
import { settle } from '../settle.ts';
import { statusBits, usapi, usapiCodes } from './client.ts';
import { factsOf, infoOf, type UsapiInfo } from './facts.ts';
import { usapiFirmware } from './firmware.ts';
import { provideServer, stopServer } from './servers.ts';
import { type StreamServer, settingsOf, type UsapiSettings } from './settings.ts';

const maxPictureBytes = 4 * 1024 * 1024;
const nameRule = /^(?! )[\w .\-+'[\](),]{1,32}(?<! )$/;

export type UsapiTimes = Pick<
  typeof timing.deviceCall,
  'answerMs' | 'actMs' | 'settleMs' | 'settleStepMs' | 'settingsMs' | 'rebootMs' | 'fileMs'
>;

export function createUsapiDriver(times: UsapiTimes = timing.deviceCall): Driver {
  return {
    api: 'usapi',
    async recognizes(transport, signal) {
      return (await askWithoutSession(usapi, transport, 'ping', { timeoutMs: times.answerMs, signal })) === 0;
    },
    open: (transport, credentials) => openSession(transport, credentials, times),
  };
}

function openSession(transport: Transport, credentials: Credentials, times: UsapiTimes): DeviceSession {
  const session = new QuerySession(usapi, transport, credentials, times);
  let info: UsapiInfo | undefined;
  let infoLogin = 0;
  let settings: UsapiSettings | undefined;
  let settingsDue = 0;
  let lastUptime = 0;

  async function readInfo(signal: AbortSignal): Promise<UsapiInfo> {
    if (info !== undefined && infoLogin === session.login) return info;
    const read = infoOf(await session.read('get-info', signal));
    info = read;
    infoLogin = session.login;
    return read;
  }

  async function readStatus(signal: AbortSignal): Promise<Answer> {
    const status = await session.read('get-status', signal);
    const uptime = status.part('sysstat').number('uptime');
    // It has restarted, maybe with another firmware.
    if (uptime !== undefined && uptime < lastUptime) info = undefined;
    lastUptime = uptime ?? lastUptime;
    return status;
  }

  async function readServers(signal: AbortSignal): Promise<readonly StreamServer[]> {
    settings = settingsOf(await session.read('get-settings', signal));
    return settings.servers;
  }

  /** The state is of use without the settings, which not every user may read. */
  async function refreshSettings(signal: AbortSignal): Promise<void> {
    if (performance.now() < settingsDue) return;
    settingsDue = performance.now() + times.settingsMs;
    await readServers(signal).catch((error: unknown) => {
      if (!(error instanceof DeviceProblem) || error.word === 'wrongPassword') throw error;
    });
  }

  const hasBit = async (bit: number, signal: AbortSignal) =>
    (((await readStatus(signal)).number('cur-status') ?? 0) & bit) !== 0;

  /** Resolves with why the device does not do what it has accepted, or with `repeated`. */
  async function switchTo(method: string, bit: number, on: boolean, signal: AbortSignal) {
    let last: Answer | undefined;
    const isSo = async () => {
      last = await readStatus(signal);
      return (((last.number('cur-status') ?? 0) & bit) !== 0) === on;
    };
    const code = await session.writeForCode(method, {}, signal, isSo);
    if (!(await settle(isSo, times, signal))) return notSwitched(method, last);
    return code === usapiCodes.repeated ? repeated : undefined;
  }
  const setLive = (on: boolean, signal: AbortSignal) =>
    switchTo(on ? 'start-live' : 'stop-live', statusBits.living, on, signal);

  return {
    async identify(signal) {
      const { identity } = await readInfo(signal);
      return { ...identity, name: (await readStatus(signal)).text('box-name') ?? identity.name };
    },
    async poll(signal) {
      const status = await readStatus(signal);
      const known = await readInfo(signal);
      await refreshSettings(signal);
      return factsOf(known, status, settings);
    },
    async snapshot(signal) {
      const { snapshot } = await readInfo(signal);
      if (snapshot === undefined) throw new DeviceProblem('unsupported', 'the device has no preview picture');
      const picture = await session.file(`${encodeURI(snapshot)}?v=${Date.now()}`, maxPictureBytes, signal);
      if (picture[0] !== 0xff || picture[1] !== 0xd8) throw new DeviceProblem('invalidAnswer', 'preview: not a JPEG');
      return picture;
    },
    ask: async (name, signal) => (await session.ask(name, signal)).all(),
    async rename(name, signal) {
      if (!nameRule.test(name)) {
        const rule = "1 to 32 letters, digits, spaces or . _ - + ' [ ] ( ) , without spaces around them";
        throw new DeviceProblem('refused', `a name of this device has ${rule}`, undefined, 'nameCharacters');
      }
      const isNamed = async () => (await readStatus(signal)).text('box-name') === name;
      await session.write('set-name', { name }, signal, isNamed);
      // The device accepts a name several seconds before it shows it.
      await settle(isNamed, times, signal);
      settingsDue = 0;
      return { silentMs: 0 };
    },
    async reboot(signal) {
      // A device that does not even answer this question is restarting.
      const isRebooting = () => hasBit(statusBits.rebooting, signal).catch(() => true);
      await session.write('reboot', {}, signal, isRebooting);
      return { silentMs: times.rebootMs };
    },
    async setRecording(on, signal) {
      return done(await switchTo(on ? 'start-rec' : 'stop-rec', statusBits.recording, on, signal));
    },
    async setLive(on, signal) {
      return done(await setLive(on, signal));
    },
    async sendTo(target, signal) {
      const { identity } = await readInfo(signal);
      if (target.protocol === 'srt' && identity.model.startsWith('Ultra Stream')) {
        throw new DeviceProblem('unsupported', 'this model sends RTMP only');
      }
      await provideServer({ session, servers: readServers }, target, signal);
      if (!(await hasBit(statusBits.living, signal))) await setLive(true, signal);
    },
    async stopSendingTo(name, signal) {
      const isOtherUsed = await stopServer({ session, servers: readServers }, name, signal);
      settingsDue = 0;
      if (!isOtherUsed && (await hasBit(statusBits.living, signal))) await setLive(false, signal);
    },
    firmware: usapiFirmware(
      session,
      { status: readStatus, version: async (signal) => (await readInfo(signal)).identity['firmware-ver'] },
      times,
    ),
    close: () => session.close(),
  };
}

function done(outcome: DeviceProblem | typeof repeated | undefined) {
  if (outcome instanceof DeviceProblem) throw outcome;
  return outcome;
}

/** The device accepted it, and does not do it: its state may say why. */
function notSwitched(method: string, status: Answer | undefined): DeviceProblem {
  if (status === undefined) return new DeviceProblem('timeout', `${method}: no state in time`, undefined, 'unknown');
  const part = method.endsWith('rec') ? status.part('rec-status') : status.part('live-status');
  const stated = [part.number('result'), ...(method.endsWith('rec') ? [status.number('last-rec-status')] : [])];
  const code = stated.find((one) => one !== undefined && usapi.faultOf?.(method, one) !== undefined);
  const text = code === undefined ? 'accepted, but not done' : `accepted, but not done: ${usapi.textOf(code)}`;
  return new DeviceProblem('refused', `${method}: ${text}`, code, (code && usapi.faultOf?.(method, code)) || 'notDone');
}

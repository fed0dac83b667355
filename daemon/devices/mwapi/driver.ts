/** Driver of Pro Convert encoders and of the first generation of decoders. */
import { timing } from '../../timing.ts';
import type { Answer } from '../answer.ts';
import type { Credentials, DeviceSession, Driver, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { askWithoutSession, QuerySession } from '../query-session.ts';
import { settle } from '../settle.ts';
import { mwapi } from './client.ts';
import { factsOf, identityOf, isDecoder } from './facts.ts';
import { mwapiFirmware } from './firmware.ts';
import { presetName, presetUrl } from './presets.ts';

export type MwapiTimes = Pick<
  typeof timing.deviceCall,
  | 'answerMs'
  | 'actMs'
  | 'settleMs'
  | 'settleStepMs'
  | 'updateMs'
  | 'encoderRenameMs'
  | 'decoderRenameMs'
  | 'rebootMs'
  | 'fileMs'
>;

const longestUrl = 1024;

export function createMwapiDriver(times: MwapiTimes = timing.deviceCall): Driver {
  return {
    api: 'mwapi',
    async recognizes(transport, signal) {
      return (await askWithoutSession(mwapi, transport, 'ping', { timeoutMs: times.answerMs, signal })) === 0;
    },
    open: (transport, credentials) => openSession(transport, credentials, times),
  };
}

function openSession(transport: Transport, credentials: Credentials, times: MwapiTimes): DeviceSession {
  const session = new QuerySession(mwapi, transport, credentials, times);
  let update: Answer | undefined;
  let updateDue = 0;

  const readSummary = (signal: AbortSignal) => session.read('get-summary-info', signal);

  /** Only administrators may ask for it, and it is a call of its own: rarely, unless an update runs. */
  async function refreshUpdate(signal: AbortSignal): Promise<void> {
    if (performance.now() < updateDue) return;
    try {
      update = await session.read('get-update-state', signal);
    } catch (error) {
      if (!(error instanceof DeviceProblem) || error.word === 'wrongPassword') throw error;
      update = undefined;
    }
    updateDue = update?.text('state') === 'updating' ? 0 : performance.now() + times.updateMs;
  }

  /** A device that does not even answer a question is restarting. */
  const isSoOrSilent = (isSo: (summary: Answer) => boolean, signal: AbortSignal) =>
    readSummary(signal).then(isSo, () => true);

  const isShown = (wanted: string, isNdi: boolean, signal: AbortSignal) => async () => {
    const channel = await session.read('get-channel', signal);
    return (channel.text('name') ?? '') === wanted && channel.flag('ndi-name') === isNdi;
  };
  async function show(wanted: string, isNdi: boolean, signal: AbortSignal): Promise<void> {
    const isSo = isShown(wanted, isNdi, signal);
    await session.write('set-channel', { 'ndi-name': `${isNdi}`, name: wanted }, signal, isSo);
    // A decoder takes some seconds to switch.
    await settle(isSo, times, signal);
  }

  return {
    async identify(signal) {
      return identityOf(await readSummary(signal));
    },
    async poll(signal) {
      const summary = await readSummary(signal);
      await refreshUpdate(signal);
      return factsOf(summary, update);
    },
    ask: async (name, signal) => (await session.ask(name, signal)).all(),
    async rename(name, signal) {
      const decoder = isDecoder(await readSummary(signal));
      const isNamed = (summary: Answer) => summary.part('device').text('name') === name;
      await session.write('set-eth-config', { name }, signal, () => isSoOrSilent(isNamed, signal));
      return { silentMs: decoder ? times.decoderRenameMs : times.encoderRenameMs };
    },
    async reboot(signal) {
      const uptime = (summary: Answer) => summary.part('device').number('up-time') ?? 0;
      const before = uptime(await readSummary(signal));
      const hasRestarted = (summary: Answer) => uptime(summary) < before;
      await session.write('reboot', {}, signal, () => isSoOrSilent(hasRestarted, signal));
      return { silentMs: times.rebootMs };
    },
    async play(source, signal) {
      if (!isDecoder(await readSummary(signal))) throw new DeviceProblem('unsupported', 'an encoder plays no streams');
      const name = presetName(source.name);
      const isChanged = await putPreset(session, name, presetUrl(source), signal);
      // What is shown does not follow a change of its preset: an empty NDI name is no source.
      if (isChanged && (await isShown(name, false, signal)())) await show('', true, signal);
      await show(name, false, signal);
    },
    async stopPlaying(entry, signal) {
      const name = presetName(entry);
      if (await isShown(name, false, signal)()) await show('', true, signal);
      const find = () => findPreset(session, name, signal);
      if (!(await find())) return;
      await session.write('del-channel', { name }, signal, async () => (await find()) === undefined);
    },
    firmware: mwapiFirmware(session, readSummary, times),
    close: () => session.close(),
  };
}

async function findPreset(session: QuerySession, name: string, signal: AbortSignal): Promise<Answer | undefined> {
  const channels = (await session.read('list-channels', signal)).list('channels');
  return channels.find((channel) => channel.text('name') === name);
}

/** Returns whether a preset of this name had another address before. */
async function putPreset(session: QuerySession, name: string, url: string, signal: AbortSignal): Promise<boolean> {
  const find = () => findPreset(session, name, signal);
  const isPut = async () => (await find())?.text('url', longestUrl) === url;
  const known = await find();
  if (known?.text('url', longestUrl) === url) return false;
  if (known === undefined) await session.write('add-channel', { name, url }, signal, isPut);
  else await session.write('modify-channel', { name, 'new-name': name, url }, signal, isPut);
  return known !== undefined;
}

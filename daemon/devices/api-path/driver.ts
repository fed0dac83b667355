/** Driver of IP to USB, IP decoders, audio converters and Modator. */
import { timing } from '../../timing.ts';
import type { Answer } from '../answer.ts';
import type { Credentials, DeviceSession, Driver, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { askWithoutSession, QuerySession } from '../query-session.ts';
import { settle } from '../settle.ts';
import { apiPath } from './client.ts';
import { factsOf, identityOf, isAudio, isDecoder, shownNames, upgradeOf } from './facts.ts';
import { apiPathFirmware } from './firmware.ts';
import { isSourceName, noSource, sourceFields, sourceId, sourceName } from './sources.ts';

export type ApiPathTimes = Pick<
  typeof timing.deviceCall,
  'answerMs' | 'actMs' | 'settleMs' | 'settleStepMs' | 'settingsMs' | 'updateMs' | 'rebootMs' | 'fileMs'
>;

export function createApiPathDriver(times: ApiPathTimes = timing.deviceCall): Driver {
  return {
    api: 'apiPath',
    async recognizes(transport, signal) {
      return (await askWithoutSession(apiPath, transport, 'ping', { timeoutMs: times.answerMs, signal })) === 0;
    },
    open: (transport, credentials) => openSession(transport, credentials, times),
  };
}

function openSession(transport: Transport, credentials: Credentials, times: ApiPathTimes): DeviceSession {
  const session = new QuerySession(apiPath, transport, credentials, times);
  const readSummary = (signal: AbortSignal) => session.read('system/summary', signal);
  /** Not every user may read it, and not every product has it. */
  const optional = async (method: string, signal: AbortSignal): Promise<Answer | undefined> => {
    try {
      return await session.readByPost(method, signal);
    } catch (error) {
      if (!(error instanceof DeviceProblem) || error.word === 'wrongPassword') throw error;
      return undefined;
    }
  };
  let update: Answer | undefined;
  let updateDue = 0;
  let receivers: Answer | undefined;
  let receiversDue = 0;

  async function refreshUpdate(signal: AbortSignal): Promise<void> {
    if (performance.now() < updateDue) return;
    update = await optional('upgrade/state', signal);
    updateDue = upgradeOf(update) === undefined ? performance.now() + times.updateMs : 0;
  }

  async function refreshReceivers(signal: AbortSignal): Promise<void> {
    if (performance.now() < receiversDue) return;
    receivers = await optional('ndi/receiver-info', signal);
    receiversDue = receivers === undefined ? performance.now() + times.settingsMs : 0;
  }

  return {
    async identify(signal) {
      return identityOf(await readSummary(signal));
    },
    async poll(signal) {
      const summary = await readSummary(signal);
      await refreshUpdate(signal);
      if (isAudio(summary)) await refreshReceivers(signal);
      return factsOf(summary, update, receivers);
    },
    ask: async (name, signal) => (await session.ask(name, signal)).all(),
    async reboot(signal) {
      const uptime = (summary: Answer) => summary.number('uptime') ?? 0;
      const before = uptime(await readSummary(signal));
      // A device that does not even answer a question is restarting.
      const isRestarting = () =>
        readSummary(signal).then(
          (summary) => uptime(summary) < before,
          () => true,
        );
      await session.write('reboot', {}, signal, isRestarting);
      return { silentMs: times.rebootMs };
    },
    async play(source, signal) {
      if (!isDecoder(await readSummary(signal))) throw new DeviceProblem('unsupported', 'only decoders play streams');
      const [name, fields] = [sourceName(source), sourceFields(source)];
      const find = async () => sourceId(await session.read('source/list', signal, { type: 'all' }), name);
      let id = await find();
      if (id === undefined) {
        await session.write('source/add', fields, signal, async () => (await find()) !== undefined);
        id = await find();
      }
      if (id === undefined) throw new DeviceProblem('invalidAnswer', 'source/list: the added source has no id');
      const isShown = async () => shownNames(await readSummary(signal)).includes(name);
      await session.write('source/select', { id }, signal, isShown);
      await settle(isShown, times, signal);
    },
    async stopPlaying(name, signal) {
      const isOver = async () => !shownNames(await readSummary(signal)).some((shown) => isSourceName(shown, name));
      if (await isOver()) return;
      await session.write('source/select', { id: noSource }, signal, isOver);
      await settle(isOver, times, signal);
    },
    firmware: apiPathFirmware(session, readSummary, times),
    close: () => session.close(),
  };
}

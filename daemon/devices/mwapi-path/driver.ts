/**
 * Driver of USB Fusion. The paths of its acts are those that an existing hub calls, with the prefix of the published
 * ones; its login is not known.
 */
import { timing } from '../../timing.ts';
import { Answer } from '../answer.ts';
import type { DeviceSession, DeviceUpload, Driver, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { isUnanswered, maxJsonBytes } from '../query-session.ts';
import { settle } from '../settle.ts';
import { statusCodes } from '../status-codes.ts';
import { factsOf, identityOf, recordingOf } from './facts.ts';
import { type FusionCalls, fusionFirmware } from './firmware.ts';

export type MwapiPathTimes = Pick<
  typeof timing.deviceCall,
  'answerMs' | 'actMs' | 'settleMs' | 'settleStepMs' | 'updateMs' | 'rebootMs' | 'fileMs'
>;

/** Where calls are: from firmware 2.6.0 on, and before. */
const forms = [
  { read: (name: string) => `/mwapi/V2.0/dashboard/${name}`, acts: '/mwapi/V2.0' },
  { read: (name: string) => `/mwapi/${name}`, acts: '/mwapi' },
] as const;
const headers = { 'content-type': 'application/json' };

export function createMwapiPathDriver(times: MwapiPathTimes = timing.deviceCall): Driver {
  return {
    api: 'mwapiPath',
    async recognizes(transport, signal) {
      try {
        const summary = await createCaller(transport, times).read('get-summary-info', signal);
        return summary.part('device').has('serial-no');
      } catch (error) {
        // Many servers answer with an HTTP status of this meaning: only the code is a sign.
        if (error instanceof DeviceProblem && error.word === 'noPermission') return error.code !== undefined;
        throw error;
      }
    },
    open: (transport) => openSession(transport, times),
  };
}

interface Call {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Sent instead of the fields. */
  readonly form?: DeviceUpload;
}

function createCaller(transport: Transport, { answerMs, actMs, fileMs }: MwapiPathTimes) {
  let known: (typeof forms)[number] | undefined;

  /** Returns undefined if the device has no such call. */
  async function call(
    { path, name, timeoutMs, fields = {}, form }: Call,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const limits = { timeoutMs, maxBytes: maxJsonBytes };
    const body = form ? { body: form } : { headers, body: JSON.stringify(fields) };
    const request = { method: 'POST', path, ...body, ...limits } as const;
    const { status, body: answered } = await transport.request(request, signal);
    if (status === 404 || status === 405) return undefined;
    if (status === 401 || status === 403) throw needsLogin(name);
    if (status !== 200) throw new DeviceProblem('invalidAnswer', `${name}: HTTP status ${status}`);
    const answer = Answer.parse(answered);
    const code = answer?.number('status') ?? answer?.number('result');
    if (answer === undefined || code === undefined)
      throw new DeviceProblem('invalidAnswer', `${name}: the answer has no result code`);
    if (statusCodes.isSignedOut(code)) throw needsLogin(name, code);
    if (!statusCodes.isDone(code)) {
      const text = `${name}: ${statusCodes.textOf(code)}`;
      throw new DeviceProblem(statusCodes.wordOf(code), text, code, statusCodes.faultOf(name, code));
    }
    return answer;
  }

  async function read(name: string, signal: AbortSignal): Promise<Answer> {
    for (const form of known === undefined ? forms : [known]) {
      const answer = await call({ path: form.read(name), name, timeoutMs: answerMs }, signal);
      if (answer === undefined) continue;
      known = form;
      return answer;
    }
    throw new DeviceProblem('invalidAnswer', `${name}: the device has no such call`);
  }

  /** Sends it once. If the answer is lost, `isDone` reads whether the device did it; undefined: that is not known. */
  async function writeAt(
    base: string,
    name: string,
    fields: Call['fields'] & object,
    signal: AbortSignal,
    isDone: () => Promise<boolean | undefined>,
  ): Promise<void> {
    try {
      const answer = await call({ path: `${base}/${name}`, name, timeoutMs: actMs, fields }, signal);
      if (answer === undefined) throw new DeviceProblem('unsupported', `${name}: the device has no such call`);
    } catch (error) {
      if (!isUnanswered(error) || (await isDone().catch(() => undefined)) !== true) throw error;
    }
  }
  const readUpdate = (signal: AbortSignal) =>
    call({ path: '/api/upgrade/state', name: 'upgrade/state', timeoutMs: answerMs }, signal);

  return {
    read,
    async write(
      name: string,
      fields: Call['fields'] & object,
      signal: AbortSignal,
      isDone: () => Promise<boolean | undefined>,
    ): Promise<void> {
      if (known === undefined) await read('get-summary-info', signal);
      await writeAt((known ?? forms[0]).acts, name, fields, signal, isDone);
    },
    readUpdate,
    firmware: {
      readState: readUpdate,
      upload: (name, form, signal) => call({ path: `/api/${name}`, name, timeoutMs: fileMs, form }, signal),
      start: (...of) => writeAt('/api', ...of),
    } satisfies FusionCalls,
  };
}

const needsLogin = (name: string, code?: number) =>
  new DeviceProblem('noPermission', `${name}: the device asks for a login whose call is not published`, code);

function openSession(transport: Transport, times: MwapiPathTimes): DeviceSession {
  const caller = createCaller(transport, times);
  let update: Answer | undefined;
  let updateDue = 0;

  /** The summary alone is of use, too. */
  const optional = async (reading: Promise<Answer | undefined>) => {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof DeviceProblem) return undefined;
      throw error;
    }
  };

  const readDevice = async (signal: AbortSignal) => (await caller.read('get-summary-info', signal)).part('device');
  const isRecording = async (signal: AbortSignal) => recordingOf(await caller.read('get-device-status', signal));

  return {
    async identify(signal) {
      return identityOf(await caller.read('get-summary-info', signal));
    },
    async poll(signal) {
      const summary = await caller.read('get-summary-info', signal);
      const status = await optional(caller.read('get-device-status', signal));
      if (performance.now() >= updateDue) {
        update = await optional(caller.readUpdate(signal));
        updateDue = performance.now() + times.updateMs;
      }
      return factsOf(summary, status, update);
    },
    ask: async (name, signal) => (await caller.read(name, signal)).all(),
    async rename(name, signal) {
      const isNamed = async () => (await readDevice(signal)).text('name') === name;
      await caller.write('system/set-device-name', { name }, signal, isNamed);
      await settle(isNamed, times, signal);
      return { silentMs: 0 };
    },
    async setRecording(on, signal) {
      const isSo = async () => (await isRecording(signal)) === on;
      await caller.write(`record/${on ? 'start' : 'stop'}`, {}, signal, isSo);
      await settle(isSo, times, signal);
    },
    // No call reads whether it is live.
    setLive: (on, signal) => caller.write(`live/${on ? 'start' : 'stop'}`, {}, signal, async () => undefined),
    async reboot(signal) {
      const uptime = async () => (await readDevice(signal)).number('up-time') ?? 0;
      const before = await uptime();
      // A device that does not even answer this question is restarting.
      const hasRestarted = () =>
        uptime().then(
          (now) => now < before,
          () => true,
        );
      await caller.write('reboot', {}, signal, hasRestarted);
      return { silentMs: times.rebootMs };
    },
    firmware: fusionFirmware(caller.firmware, readDevice),
    close: async () => {},
  };
}

/** Driver of USB Fusion. It only reads: the paths of login and acts are not published. */
import { timing } from '../../timing.ts';
import { Answer } from '../answer.ts';
import type { DeviceSession, Driver, Transport } from '../driver.ts';
import { statusCodes } from '../mwapi/client.ts';
import { DeviceProblem } from '../problem.ts';
import { maxJsonBytes } from '../query-session.ts';
import { factsOf, identityOf } from './facts.ts';

export type MwapiPathTimes = Pick<typeof timing.deviceCall, 'answerMs' | 'updateMs'>;

/** Where calls are: from firmware 2.6.0 on, and before. */
const forms = [(name: string) => `/mwapi/V2.0/dashboard/${name}`, (name: string) => `/mwapi/${name}`] as const;
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

function createCaller(transport: Transport, { answerMs }: MwapiPathTimes) {
  let known: (typeof forms)[number] | undefined;

  async function post(path: string, signal: AbortSignal) {
    const limits = { timeoutMs: answerMs, maxBytes: maxJsonBytes };
    return await transport.request({ method: 'POST', path, headers, body: '{}', ...limits }, signal);
  }

  async function readAt(path: string, name: string, signal: AbortSignal): Promise<Answer | undefined> {
    const { status, body } = await post(path, signal);
    if (status === 404 || status === 405) return undefined;
    if (status === 401 || status === 403) throw needsLogin(name);
    if (status !== 200) throw new DeviceProblem('invalidAnswer', `${name}: HTTP status ${status}`);
    const answer = Answer.parse(body);
    const code = answer?.number('status') ?? answer?.number('result');
    if (answer === undefined || code === undefined)
      throw new DeviceProblem('invalidAnswer', `${name}: the answer has no result code`);
    if (statusCodes.isSignedOut(code)) throw needsLogin(name, code);
    if (!statusCodes.isDone(code))
      throw new DeviceProblem(statusCodes.wordOf(code), `${name}: ${statusCodes.textOf(code)}`, code);
    return answer;
  }

  return {
    async read(name: string, signal: AbortSignal): Promise<Answer> {
      for (const form of known === undefined ? forms : [known]) {
        const answer = await readAt(form(name), name, signal);
        if (answer === undefined) continue;
        known = form;
        return answer;
      }
      throw new DeviceProblem('invalidAnswer', `${name}: the device has no such call`);
    },
    readUpdate: (signal: AbortSignal) => readAt('/api/upgrade/state', 'upgrade/state', signal),
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
    close: async () => {},
  };
}

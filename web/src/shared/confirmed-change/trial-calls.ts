/** The calls about a change on trial. */
import { networkApi, settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { faultOf } from '../../lib/call-error.ts';
import type { Trial } from './trial.ts';
import type { Said } from './trial-watch.ts';

/** Shorter than usual: while addresses change, an answer that does not come at once does not come at all. */
const answerMs = 2500;

export async function askTrial(trial: Trial): Promise<Said | undefined> {
  try {
    return await (trial.token === undefined ? askSettings(trial) : askNetwork(trial));
  } catch (error) {
    const fault = faultOf(error);
    // Any other answer is one: the page is shown again, which says what is wrong.
    return fault === undefined || fault === 'unreachable' || fault === 'requestTimeout'
      ? undefined
      : { state: 'ended', outcome: 'interrupted' };
  }
}

async function askNetwork({ kind }: Trial): Promise<Said> {
  const { waiting, ended } = await call(networkApi.get, { timeoutMs: answerMs, isUse: false });
  if (waiting?.kind === kind) return { state: waiting.applied ? 'waiting' : 'applying' };
  // Changes before the last start of the hub are not known any more.
  return ended?.kind === kind ? { state: 'ended', ...ended } : { state: 'ended', outcome: 'interrupted' };
}

/** Trials of the ports and the certificate of the console are in the settings, which every hub has. */
async function askSettings({ revision: changed }: Trial): Promise<Said> {
  const { unconfirmed, revision } = await call(settingsApi.get, { timeoutMs: answerMs, isUse: false });
  if (unconfirmed?.web !== undefined) return { state: 'waiting' };
  return { state: 'ended', outcome: revision.web === changed ? 'confirmed' : 'expired' };
}

export function confirmTrial({ token }: Trial): Promise<unknown> {
  return token === undefined
    ? call(settingsApi.confirm, { body: { group: 'web' }, timeoutMs: answerMs })
    : call(networkApi.confirm, { body: { token }, timeoutMs: answerMs });
}

/** For the author of the change. */
export function keepChange(): Promise<unknown> {
  return call(networkApi.confirm, { body: {} });
}

export function cancelTrial(): Promise<unknown> {
  return call(networkApi.cancel, { body: {} });
}

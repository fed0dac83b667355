/** Maps a log entry to its word: usually its action, sometimes with its result or the value that was set. */
import type { Operation } from '../../../../daemon/contract/logs.ts';

export const operationWords = [
  'session.start',
  'session.refused',
  'session.end',
  'session.endOther',
  'setup.finish',
  'settings.set',
  'settings.reveal',
  'channel.add',
  'channel.set',
  'channel.del',
  'channel.reveal',
  'channel.enable',
  'channel.enable.true',
  'channel.enable.false',
  'channel.setInput',
  'channel.switchInput',
  'channel.setSlate',
  'channel.delSlate',
  'channel.addOutput',
  'channel.delOutput',
  'channel.disconnectClient',
  'channel.enableOutput',
  'channel.enableOutput.true',
  'channel.enableOutput.false',
  'input.add',
  'input.set',
  'input.del',
  'input.reveal',
  'output.add',
  'output.set',
  'output.del',
  'output.reveal',
  'server.add',
  'server.set',
  'server.del',
  'preset.add',
  'preset.set',
  'preset.del',
  'user.add',
  'user.set',
  'user.del',
  'user.password',
  'user.reset',
  'group.add',
  'group.set',
  'group.del',
  'token.add',
  'token.del',
  'alarm.rules',
  'alarm.clear',
] as const;
export type OperationWord = (typeof operationWords)[number];

const known: ReadonlySet<string> = new Set(operationWords);

function isWord(text: string): text is OperationWord {
  return known.has(text);
}

/** Undefined for an action of a newer hub. */
export function operationWord({ action, detail, result }: Pick<Operation, 'action' | 'detail' | 'result'>) {
  if (action === 'session.start' && result !== 0) return 'session.refused';
  const [, value = ''] = / enabled (true|false)$/.exec(detail) ?? [];
  const exact = `${action}.${value}`;
  if (isWord(exact)) return exact;
  return isWord(action) ? action : undefined;
}

/** Omits the enabled state if the word already expresses it. */
export function operationDetail(operation: Pick<Operation, 'action' | 'detail' | 'result'>): string {
  const isInWord = /\.(true|false)$/.test(operationWord(operation) ?? '');
  return isInWord ? operation.detail.replace(/:? enabled (true|false)$/, '') : operation.detail;
}

/** Which word of the log an entry gets: mostly its action, sometimes also how it ended or what it was set to. */
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

/** Undefined for an action of a later hub. */
export function operationWord({ action, detail, result }: Pick<Operation, 'action' | 'detail' | 'result'>) {
  if (action === 'session.start' && result !== 0) return 'session.refused';
  const [, value = ''] = / enabled (true|false)$/.exec(detail) ?? [];
  const exact = `${action}.${value}`;
  if (isWord(exact)) return exact;
  return isWord(action) ? action : undefined;
}

/** Without the switch that the word has said already. */
export function operationDetail(operation: Pick<Operation, 'action' | 'detail' | 'result'>): string {
  const isSaid = /\.(true|false)$/.test(operationWord(operation) ?? '');
  return isSaid ? operation.detail.replace(/:? enabled (true|false)$/, '') : operation.detail;
}

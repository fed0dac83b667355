import { t as now, plural } from '@lingui/core/macro';
import type { Channel } from '../../../../daemon/contract/channels.ts';

/** Says who loses the stream if a live channel is interrupted. */
export function losersText(channel: Channel): string {
  const running = channel.outputs.list.filter((output) => output.kbps > 0).length;
  const outputs = plural(running, { one: '# output', other: '# outputs' });
  const players = plural(channel.clients.total, { one: '# player', other: '# players' });
  return channel.state === 'slate'
    ? now`The slate is on air. ${outputs} and ${players} will lose it.`
    : now`This channel is live. ${outputs} and ${players} will lose the stream.`;
}

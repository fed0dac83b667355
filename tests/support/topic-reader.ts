/** A listener of a topic that takes every message at once. */
import { groupTypes, maskOf, type Permission } from '../../daemon/contract/permission.ts';
import type { Session } from '../../daemon/http/route.ts';
import type { Topic } from '../../daemon/http/topic.ts';

export interface TopicMessage<Data> {
  readonly kind: 'init' | 'change';
  readonly data: Data;
}

export function readerSession(idHash: string, ...permissions: Permission[]): Session {
  const user = {
    id: 2,
    name: idHash,
    groupId: 8,
    groupName: '',
    permission: maskOf(...permissions),
    type: groupTypes.custom,
  };
  return { idHash, user };
}

const editor = readerSession('editor', 'channelView', 'channelEdit');

export function readTopic<Data>(topic: Topic, session: Session = editor, only?: ReadonlySet<string>, isLean = false) {
  const messages: TopicMessage<Data>[] = [];
  const drain = () => {
    for (let bytes = view.next(); bytes; bytes = view.next()) messages.push(parseMessage<Data>(bytes).message);
  };
  const view = topic.open({ session, only, isLean, onNews: drain });
  drain();
  return {
    messages,
    changes: (): Data[] => messages.filter(({ kind }) => kind === 'change').map(({ data }) => data),
    recheck(): void {
      view.recheck();
      drain();
    },
    close: () => view.close(),
  };
}

export function parseMessage<Data>(bytes: Uint8Array): {
  readonly topic: string;
  readonly message: TopicMessage<Data>;
} {
  const [, kind, text = ''] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(Buffer.from(bytes).toString()) ?? [];
  if (kind !== 'init' && kind !== 'change') throw new Error(`not a message: ${Buffer.from(bytes).toString()}`);
  const { topic, data } = JSON.parse(text) as { topic: string; data: Data };
  return { topic, message: { kind, data } };
}

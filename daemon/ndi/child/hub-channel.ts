/** The IPC channel to the hub, in a process that the hub started to load the NDI library. */
import { type ChildMessage, HubMessage } from '../messages.ts';

export interface HubChannel {
  send(message: ChildMessage): void;
  /** Calls the listener with each message. Messages that arrive before a listener is set are lost. */
  onMessage(listener: (message: HubMessage) => void): void;
  /** Resolves when the hub closes the channel, ends, or sends anything that is not a `HubMessage`. */
  readonly closed: Promise<void>;
}

/** Throws if the hub did not start this process. */
export function openHubChannel(): HubChannel {
  if (!process.send) throw new Error('only the hub starts this role');
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  process.on('disconnect', () => resolve());
  return {
    closed,
    send(message) {
      if (process.connected) process.send?.(message);
    },
    onMessage(listener) {
      process.on('message', (value: unknown) => {
        const message = HubMessage.safeParse(value);
        if (message.success) listener(message.data);
        else resolve();
      });
    },
  };
}

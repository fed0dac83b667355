/** Loads the code of the runtime when it is first used. It has schemas and `bun:ffi`, which only NDI needs. */
import type { NdiRuntime, NdiSender } from './port.ts';

export function lazyNdiRuntime(load: () => Promise<NdiRuntime>): NdiRuntime {
  let loading: Promise<NdiRuntime> | undefined;
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  return {
    receive: async (receiving) => (await loaded()).receive(receiving),
    send(sending) {
      let sender: NdiSender | undefined;
      let isClosed = false;
      loaded().then(
        (runtime) => {
          if (!isClosed) sender = runtime.send(sending);
        },
        (error: unknown) => {
          if (!isClosed) sending.onFailed(error);
        },
      );
      return {
        write: (bytes) => sender?.write(bytes) ?? false,
        close() {
          isClosed = true;
          sender?.close();
        },
      };
    },
  };
}

import type { NetPort } from './port.ts';

/** A port whose code is loaded with the first call. */
export function lazyNet(load: () => Promise<NetPort>): NetPort {
  let loading: Promise<NetPort> | undefined;
  const loaded = (): Promise<NetPort> => {
    loading ??= load();
    return loading;
  };
  return {
    prepare: async (...change) => (await loaded()).prepare(...change),
    apply: async (data) => (await loaded()).apply(data),
    seal: async (data) => (await loaded()).seal(data),
    save: async (data) => (await loaded()).save(data),
    revert: async (data) => (await loaded()).revert(data),
    read: async () => (await loaded()).read(),
    traffic: async () => (await loaded()).traffic(),
    watch(listener) {
      let isOver = false;
      let stop = () => {};
      void loaded().then((port) => {
        if (!isOver) stop = port.watch(listener);
      });
      return () => {
        isOver = true;
        stop();
      };
    },
  };
}

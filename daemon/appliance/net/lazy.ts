import type { NetPort } from './port.ts';

/** A port whose code is loaded with the first call. */
export function lazyNet(load: () => Promise<NetPort>): NetPort {
  let loading: Promise<NetPort> | undefined;
  const loaded = (): Promise<NetPort> => {
    loading ??= load();
    return loading;
  };
  const until = (begin: (port: NetPort) => () => void) => {
    let isOver = false;
    let stop = () => {};
    void loaded().then((port) => {
      if (!isOver) stop = begin(port);
    });
    return () => {
      isOver = true;
      stop();
    };
  };
  return {
    prepare: async (...change) => (await loaded()).prepare(...change),
    apply: async (data) => (await loaded()).apply(data),
    seal: async (data) => (await loaded()).seal(data),
    save: async (data) => (await loaded()).save(data),
    revert: async (data) => (await loaded()).revert(data),
    read: async () => (await loaded()).read(),
    reset: async () => (await loaded()).reset(),
    traffic: async () => (await loaded()).traffic(),
    watch: (listener) => until((port) => port.watch(listener)),
    guard: (log) => until((port) => port.guard(log)),
  };
}

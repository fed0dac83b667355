type Methods<P> = Extract<keyof P, string>;

/** A port whose code is loaded with the first call of one of these methods, all of which return promises. */
export function lazyPort<P extends object>(load: () => Promise<P>, methods: readonly Methods<P>[]): P {
  let loading: Promise<P> | undefined;
  const loaded = (): Promise<P> => {
    loading ??= load();
    return loading;
  };
  const call =
    (name: Methods<P>) =>
    async (...input: readonly unknown[]) => {
      const port = await loaded();
      return (port[name] as (...given: readonly unknown[]) => unknown)(...input);
    };
  return Object.fromEntries(methods.map((name) => [name, call(name)])) as P;
}

import { dlopen } from 'bun:ffi';

/** Lets confined processes onto the network of this process: see `serve.c`. Must be the first use of the library. */
export function serveNetwork(library: string): void {
  const { double_serve_network: serve } = dlopen(library, {
    double_serve_network: { args: [], returns: 'bool' },
  }).symbols;
  if (!serve()) throw new Error(`no socket can be created next to ${library}, or its path is too long`);
}

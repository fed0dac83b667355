import { connect } from 'node:net';
import type { Child } from './child.ts';

const timeoutMs = 10_000;
const pauseMs = 10;

/** Resolves when the port accepts connections; fails when the child exits or takes too long. */
export async function untilListening(port: number, child: Child): Promise<void> {
  let hasEnded = false;
  child.exited.then(
    () => {
      hasEnded = true;
    },
    () => {},
  );
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    if (await accepts(port)) return;
    if (hasEnded) throw new Error(`${child.name} ended before it listened on ${port}: ${child.lastWords()}`);
    await Bun.sleep(pauseMs);
  }
  throw new Error(`${child.name} doesn't listen on ${port} after ${timeoutMs / 1000} s`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

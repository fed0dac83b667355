/** The RTSP server of the outputs that players pull. */
import type { Termination } from '../connection/state.ts';
import { termination } from '../connection/terminations.ts';
import { RtspServer, type RtspServerOptions } from './server.ts';

const moved = termination('disconnected', 'closedByPeer', 'the hub listens on another address');

export interface OpenOutput {
  /** Ends an attempt that cannot continue. */
  finish(end: Termination): void;
  tick(): void;
}

export type RtspAdapter = ReturnType<typeof createRtspAdapter>;

export function createRtspAdapter(options: RtspServerOptions) {
  const server = new RtspServer(options);
  const opened = new Set<OpenOutput>();
  let bind: string | undefined;
  return {
    server,
    opened,
    get bind(): string {
      return bind ?? '0.0.0.0';
    },
    /** Sets the address that outputs listen on; open ones move. */
    apply(next: string): void {
      if (next === bind) return;
      bind = next;
      for (const one of opened) one.finish(moved);
    },
    /** Called once per second. */
    tick(): void {
      server.tick();
      for (const one of opened) one.tick();
    },
  };
}

/** Streams that are pulled from RTSP servers. */
import { describe, test } from 'bun:test';
import { join } from 'node:path';
import { leasePort } from '../../support/ports.ts';
import { run } from '../live-media.ts';
import type { StatesStage } from './stage.ts';

export function rtspPullStates(stage: StatesStage): void {
  describe.concurrent('RTSP pull', () => {
    const serve = (port: number, password: string, encoding: 'h264' | 'mulaw') => {
      const script = join(import.meta.dir, '../rtsp-server.py');
      return run(['/usr/bin/python3', script, String(port), 'tcp', password, 'digest', encoding]);
    };
    const account = (password: string) => ({ 'enable-auth': true, username: 'me', password });

    test('a server that is closed, silent, requires a password, pauses, closes', async () => {
      const port = leasePort();
      serve(port, 'right', 'h264');
      const gate = await stage.gateTo(port);
      gate.close();
      const url = `rtsp://127.0.0.1:${gate.port}/cam?mw-tcp-first=1`;
      const input = await stage.rig.addInput({ url, ...account('wrong') });
      await input.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
      gate.mode = 'silent';
      await gate.open();
      await input.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
      gate.mode = 'pass';
      await input.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
      await input.change({ url, ...account('right') });
      await input.untilGood();
      gate.freeze();
      await input.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' });
      gate.thaw();
      await input.untilGood(40_000);
      gate.cut('end');
      await input.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
      await input.untilGood();
    });

    test('a missing stream, and one in a codec that a transport stream does not support', async () => {
      const port = leasePort();
      serve(port, '-', 'mulaw');
      const input = await stage.rig.addInput({ url: `rtsp://127.0.0.1:${port}/else` });
      await input.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
      await input.change({ url: `rtsp://127.0.0.1:${port}/cam` });
      await input.until({ conn: 'streamFailed', reason: 'codecNotPossible', state: 'unsupported' });
    });
  });
}

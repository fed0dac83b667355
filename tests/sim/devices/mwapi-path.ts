/** Simulates a USB Fusion, of the firmware before or from 2.6.0 on, whose reads may need a login. */
import type { Json } from './device.ts';
import { recorded, recordedPart } from './recorded.ts';

export class MwapiPathDevice {
  readonly calls: string[] = [];
  isOld = false;
  needsLogin = false;
  isUpdating = false;
  /** Calls that it does not have. */
  lacks: readonly string[] = [];
  /** Inputs without a signal. */
  silentInputs: readonly string[] = ['input-hdmi-2-state'];
  isRecording = true;

  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.calls.push(pathname);
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    const base = this.isOld ? '/mwapi/' : '/mwapi/V2.0/dashboard/';
    const isKnown = pathname === `${base}${name}` || pathname === '/api/upgrade/state';
    const answer = isKnown && request.method === 'POST' && !this.lacks.includes(name) ? this.answer(name) : undefined;
    if (answer === undefined) return new Response(null, { status: 404 });
    return Response.json(this.needsLogin ? { status: 37 } : answer);
  }

  async close(): Promise<void> {}

  private answer(name: string): Json | undefined {
    switch (name) {
      case 'get-summary-info': {
        const silent = this.silentInputs.map((input) => [input, 'no-signal']);
        const device = { ...recordedPart('mwapiPath/summary', 'device'), ...Object.fromEntries(silent) };
        return { ...recorded('mwapiPath/summary'), device };
      }
      case 'get-device-status': {
        const info = recordedPart('mwapiPath/status', 'info');
        return {
          ...recorded('mwapiPath/status'),
          info: { ...info, recordStatus: { recording: Number(this.isRecording) } },
        };
      }
      case 'state':
        return this.isUpdating ? recorded('mwapiPath/upgrade-state-downloading') : { status: 0, state: 0 };
      default:
        return undefined;
    }
  }
}

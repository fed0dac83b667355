/** Simulates a USB Fusion, of the firmware before or from 2.6.0 on, whose reads may need a login. */
import type { Json } from './device.ts';
import { untilGivenUp } from './faults.ts';
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
  isLive = false;
  name = 'Room Fusion';
  uptimeSeconds = 5122;
  /** Acts that it carries out without answering. */
  unanswered: readonly string[] = [];
  private isDown = false;

  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.calls.push(pathname);
    if (this.isDown) return untilGivenUp(request);
    const act = /^\/mwapi(\/V2\.0)?\/((?:system|record|live)\/[a-z-]+|reboot)$/.exec(pathname);
    if (act?.[2] !== undefined && (act[1] === undefined) === this.isOld) return await this.act(act[2], request);
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    const base = this.isOld ? '/mwapi/' : '/mwapi/V2.0/dashboard/';
    const isKnown = pathname === `${base}${name}` || pathname === '/api/upgrade/state';
    const answer = isKnown && request.method === 'POST' && !this.lacks.includes(name) ? this.answer(name) : undefined;
    if (answer === undefined) return new Response(null, { status: 404 });
    return Response.json(this.needsLogin ? { status: 37 } : answer);
  }

  async close(): Promise<void> {}

  private stated(): Json {
    return { name: this.name, 'up-time': this.uptimeSeconds };
  }

  private async act(name: string, request: Request): Promise<Response> {
    if (this.lacks.includes(name)) return new Response(null, { status: 404 });
    if (this.needsLogin) return Response.json({ status: 37 });
    const fields = (await request.json()) as Json;
    switch (name) {
      case 'system/set-device-name':
        this.name = String(fields.name);
        break;
      case 'record/start':
      case 'record/stop':
        this.isRecording = name.endsWith('start');
        break;
      case 'live/start':
      case 'live/stop':
        this.isLive = name.endsWith('start');
        break;
      case 'reboot':
        this.isDown = true;
        break;
      default:
        return new Response(null, { status: 404 });
    }
    return this.unanswered.includes(name) ? untilGivenUp(request) : Response.json({ status: 0 });
  }

  private answer(name: string): Json | undefined {
    switch (name) {
      case 'get-summary-info': {
        const silent = this.silentInputs.map((input) => [input, 'no-signal']);
        const device = {
          ...recordedPart('mwapiPath/summary', 'device'),
          ...Object.fromEntries(silent),
          ...this.stated(),
        };
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

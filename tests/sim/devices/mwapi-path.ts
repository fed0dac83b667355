/** Simulates a USB Fusion, of the firmware before or from 2.6.0 on, whose reads may need a login. */
import type { Json } from './device.ts';
import { cutOff, untilGivenUp } from './faults.ts';
import { SimulatedFirmware } from './firmware.ts';
import { recorded, recordedPart } from './recorded.ts';

const firmwareCodes = { mismatch: 39, badFile: 23, noSpace: 29, busy: 11, missing: 16, writeFailed: 15 };

export class MwapiPathDevice {
  readonly sn = 'A506230822005';
  readonly firmware: SimulatedFirmware;
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
  /** Milliseconds without answers after a restart; undefined: it stays silent. */
  private readonly rebootMs: number | undefined;
  private isDown = false;

  constructor({ rebootMs, writeMs = 20_000 }: { readonly rebootMs?: number; readonly writeMs?: number } = {}) {
    this.rebootMs = rebootMs;
    const restart = () => this.restart();
    this.firmware = new SimulatedFirmware('2.6.12', { sn: this.sn, restartsItself: false, writeMs, restart });
  }

  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.calls.push(pathname);
    if (this.isDown) return untilGivenUp(request);
    const act = /^\/mwapi(\/V2\.0)?\/((?:system|record|live)\/[a-z-]+|reboot)$/.exec(pathname);
    if (act?.[2] !== undefined && (act[1] === undefined) === this.isOld) return await this.act(act[2], request);
    if (pathname === '/api/system/upload-fw' && !this.lacks.includes('upload-fw')) return await this.take(request);
    if (pathname === '/api/upgrade/update') return this.begin(request);
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    const base = this.isOld ? '/mwapi/' : '/mwapi/V2.0/dashboard/';
    const isKnown = pathname === `${base}${name}` || pathname === '/api/upgrade/state';
    const answer = isKnown && request.method === 'POST' && !this.lacks.includes(name) ? this.answer(name) : undefined;
    if (answer === undefined) return new Response(null, { status: 404 });
    return Response.json(this.needsLogin ? { status: 37 } : answer);
  }

  async close(): Promise<void> {}

  private stated(): Json {
    return { name: this.name, 'up-time': this.uptimeSeconds, 'fw-version': this.firmware.version };
  }

  private async take(request: Request): Promise<Response> {
    if (this.needsLogin) return Response.json({ status: 37 });
    const fault = await this.firmware.receive(request);
    if (fault === 'drop') return cutOff();
    return Response.json({ status: fault === undefined ? 0 : firmwareCodes[fault] });
  }

  private begin(request: Request): Response | Promise<Response> {
    const fault = this.needsLogin ? undefined : this.firmware.begin();
    if (this.unanswered.includes('upgrade/update')) return untilGivenUp(request);
    return Response.json({ status: this.needsLogin ? 37 : fault === undefined ? 0 : firmwareCodes[fault] });
  }

  private restart(): void {
    this.firmware.restarted();
    this.isDown = true;
    if (this.rebootMs === undefined) return;
    this.uptimeSeconds = 0;
    const timer = setTimeout(() => {
      this.isDown = false;
    }, this.rebootMs);
    timer.unref();
  }

  private upgradeState(): Json {
    const { state, percent } = this.firmware;
    if (this.isUpdating) return recorded('mwapiPath/upgrade-state-downloading');
    if (state === 'failed') return { status: 0, state: -1, code: firmwareCodes.writeFailed };
    return { status: 0, state: { idle: 0, writing: 2, written: 3 }[state], 'step-progress': percent };
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
        this.restart();
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
        return this.upgradeState();
      default:
        return undefined;
    }
  }
}

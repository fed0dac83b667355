import { hostname } from 'node:os';
import { eventTopics } from '../../contract/events.ts';
import type { PasswordRule } from '../../contract/password-rule.ts';
import type { SystemPart, SystemStatus } from '../../contract/system.ts';
import { createObjectTopic } from '../../http/topic.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { Log } from '../../lib/log.ts';
import type { MediaStatus } from '../../media/port.ts';
import { version } from '../../version.ts';
import { createLoadMeter, type LoadHistory, type Machine, type MediaRates } from './load.ts';
import { folderPart, mediaParts, memoryPart, statusCode } from './parts.ts';

export interface SystemOptions {
  readonly dataDir: string;
  /** Path or name of the program. */
  readonly ffmpeg: string;
  /** Whether the hub starts the engine. Otherwise a unit of the system does. */
  readonly startsEngine: boolean;
  readonly machine: Machine;
  readonly log: Log;
  readonly media: () => MediaStatus;
  /** Null while the engine is not connected. */
  readonly mediaRates: () => MediaRates | null;
  readonly totals: () => Pick<SystemStatus['system'], 'channel' | 'output' | 'srt' | 'client'>;
  readonly ports: () => SystemStatus['system']['ports'];
  /** By which other machines reach the hub. */
  readonly addresses: () => string[];
  readonly webFaults: () => SystemPart[];
  readonly passwordRule: () => PasswordRule;
  /** Bits of variant.ts. */
  readonly features: number;
  /** Undefined for a hub that is not an appliance, or if unknown. */
  readonly hardwareVersion: string | undefined;
  /** '' if none was set. */
  readonly hubName: () => string;
  readonly expiryMinutes: () => number;
  /** Devices that the license allows. */
  readonly deviceLimit: () => number;
  readonly buildId: () => string;
  /** Bits of `systemFlags` of what the hub does with itself, and when they change. */
  readonly flags: () => number;
  readonly onFlags: (listener: () => void) => () => void;
}

const megabyte = 1024 * 1024;
const tickMs = 1000;

export function createSystemService(options: SystemOptions) {
  const { machine, log } = options;
  const startedAt = machine.clock();
  const ticks = createEmitter();
  const onFault = (error: unknown) => log.warn('the machine could not be measured', { reason: String(error) });
  const meter = createLoadMeter({ machine, media: options.mediaRates, onFault });
  let timer: Timer | undefined;

  const status = (): SystemStatus => {
    const load = meter.current();
    const { rings } = options.media();
    const parts = [
      ...mediaParts(options.media(), options),
      ...options.webFaults(),
      ...folderPart(options.dataDir, load),
      ...memoryPart(load),
    ];
    const totals = options.totals();
    return {
      system: {
        ...totals,
        info: {
          'date-time': Math.floor(machine.now() / 1000),
          'cloud-version': version,
          ...(options.hardwareVersion !== undefined && { 'hardware-ver': options.hardwareVersion }),
          'expired-time': options.expiryMinutes(),
          'feature-support': options.features,
          'host-name': hostname(),
          name: options.hubName() || hostname(),
          'up-time': Math.floor((machine.clock() - startedAt) / 1000),
          'build-id': options.buildId(),
        },
        status: {
          cpu: load.cpu,
          mem: load.mem,
          'ring-info': {
            used: Math.round(rings.bytes / megabyte),
            limit: Math.round(rings.limit / megabyte),
          },
          'disk-info': {
            total: Math.floor(load.diskTotalBytes / megabyte),
            free: Math.floor(load.diskFreeBytes / megabyte),
          },
          'net-tx': load.netTx,
          'net-rx': load.netRx,
          'status-code': statusCode(parts, load) | options.flags(),
        },
        parts,
        ports: options.ports(),
        addresses: options.addresses(),
      },
      'pwd-rule': options.passwordRule(),
      'license-reg': { status: -20 },
      'cur-license': { 'max-channel-count': totals.channel['limit-num'], 'max-dev-count': options.deviceLimit() },
    };
  };
  options.onFlags(ticks.emit);
  const tick = () => {
    try {
      meter.tick();
    } catch (error) {
      onFault(error);
    }
    ticks.emit();
  };

  return {
    status,
    history: (): LoadHistory => meter.history(),
    topic: createObjectTopic<SystemStatus>({
      name: 'system',
      scope: eventTopics.system,
      all: () => [status()],
      find: status,
      keyOf: () => 0,
      watch: (changed) => ticks.on(() => changed([0])),
    }),
    start(): void {
      timer ??= setInterval(tick, tickMs);
    },
    close: (): void => clearInterval(timer),
  };
}

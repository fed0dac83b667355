/** The kinds of alarms, and the rules of devices, and of a channel without its own. Free of schemas, because an idle hub loads it. */
import type { AlarmRules, DeviceAlarmRules } from './alarm-fields.ts';

/** The alarm kinds that each channel has rules for. */
export const ruleKinds = [
  'no-input',
  'no-video',
  'no-audio',
  'bitrate-below',
  'cc-errors',
  'srt-loss',
  'on-backup',
  'on-slate',
  'output-failed',
] as const;
export type RuleKind = (typeof ruleKinds)[number];

/**
 * Alarms of the hub itself, at most one of each kind. `engine-replaced` lasts until the new engine has run for a
 * minute, `few-descriptors` while the engine refuses players, `no-space` while the data folder has little space.
 */
export const hubAlarmKinds = ['engine-down', 'engine-replaced', 'few-descriptors', 'no-space'] as const;

/** Alarms of devices, whose rules are the same for all devices. */
export const deviceRuleKinds = [
  'device-offline',
  'device-problem',
  'device-no-signal',
  'device-hot',
  'device-storage',
  'device-network',
] as const;
export type DeviceRuleKind = (typeof deviceRuleKinds)[number];

export const alarmKinds = [...ruleKinds, ...hubAlarmKinds, ...deviceRuleKinds] as const;

export const defaultAlarmRules: AlarmRules = {
  'no-input': { enable: true, seconds: 10 },
  'no-video': { enable: true, seconds: 5 },
  'no-audio': { enable: true, seconds: 5 },
  'bitrate-below': { enable: false, kbps: 1000, seconds: 10 },
  'cc-errors': { enable: true, 'per-minute': 10 },
  'srt-loss': { enable: true, percent: 5 },
  'on-backup': { enable: true, seconds: 1 },
  'on-slate': { enable: true, seconds: 1 },
  'output-failed': { enable: true, seconds: 15 },
};

export const defaultDeviceAlarmRules: DeviceAlarmRules = {
  'device-offline': { enable: true, seconds: 60 },
  'device-problem': { enable: true, seconds: 60 },
  'device-no-signal': { enable: true, seconds: 60 },
  'device-hot': { enable: true, celsius: 90, seconds: 60 },
  'device-storage': { enable: true, percent: 5, seconds: 60 },
  'device-network': { enable: true, seconds: 60 },
};

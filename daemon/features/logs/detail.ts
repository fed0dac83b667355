/** The line of an entry for scripts and for who reads the log without the console: English, and searched. */
import type { ChangeWord, OperationChange } from '../../contract/logs.ts';

const english = {
  name: (value) => `name ${value}`,
  address: (value) => `address ${value}`,
  firstAddress: (value) => value,
  forChannel: (value) => `for ${value}`,
  enabled: (value) => `enabled ${value}`,
  playKey: () => 'play key',
  pushKey: () => 'push key',
  allowRtmp: (value) => `RTMP ${value}`,
  allowSrt: (value) => `SRT ${value}`,
  allowNdiHx: (value) => `NDI ${value}`,
  ndi: (value) => `NDI by ${value}`,
  preferredProtocol: (value) => `preferred protocol ${value}`,
  input: (value) => value,
  noInput: () => 'push key',
  backup: (value) => `backup ${value}`,
  noBackup: () => 'without backup',
  standby: (value) => `${value} standby`,
  lostAfter: (value) => `lost after ${value} ms`,
  lostWithoutVideo: (value) => `lost after ${value} ms without picture`,
  lostWithoutAudio: (value) => `lost after ${value} ms without sound`,
  back: (value) => `back ${value}`,
  stableFor: (value) => `stable for ${value} s`,
  slate: (value) => `slate ${value}`,
  switchedTo: (value) => `to ${value}`,
  output: (value) => value,
  outputOn: (value) => `${value} enabled true`,
  outputOff: (value) => `${value} enabled false`,
  client: (value) => value,
  port: (value) => `port ${value}`,
  latency: (value) => `latency ${value} ms`,
  encryption: (value) => value,
  noEncryption: () => 'not encrypted',
  httpPort: (value) => `http ${value}`,
  httpsPort: (value) => `https ${value}`,
  noHttps: () => 'https off',
  sessionMinutes: (value) => `${value} min`,
  noExpiry: () => 'never',
  alarmOn: (value) => value,
  alarmOff: (value) => `${value} off`,
  secret: () => 'secret',
  noSecret: () => 'without secret',
} satisfies Record<ChangeWord, (value: string) => string>;

export function detailText(subject: string, changes: readonly OperationChange[]): string {
  const parts = changes.map(({ word, value = '' }) => english[word](value));
  return parts.length === 0 ? subject : `${subject}: ${parts.join(', ')}`;
}

/** Text for a hub component that is not working: name, reason and remedy. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { SystemPart } from '../../../daemon/contract/system.ts';

/** By the name of a component that can be missing. */
export const partNames = {
  engine: msg`Media engine`,
  rtmp: msg`RTMP server`,
  srt: msg`SRT server`,
  udp: msg`UDP endpoint`,
  hls: msg`HLS server`,
  ffmpeg: msg`FFmpeg`,
  ndi: msg`NDI runtime`,
  confinement: msg`Confinement of processes`,
  descriptors: msg`File descriptors`,
  folder: msg`Data folder`,
  memory: msg`Memory`,
  https: msg`HTTPS`,
  link: msg`Registration of devices`,
} satisfies Record<string, MessageDescriptor>;
type PartName = keyof typeof partNames;

/** By the reason word that the engine and the hub report for a component. */
export const partReasons = {
  portOccupied: msg`its port is in use`,
  notPermitted: msg`its port is not permitted`,
  failed: msg`can't be used`,
  missing: msg`not installed`,
  tooOld: msg`too old`,
  starting: msg`starting`,
  crashed: msg`stopped unexpectedly`,
  failing: msg`keeps stopping`,
  unitStopped: msg`its service is not running`,
  noSpace: msg`its disk is nearly full`,
  memoryLow: msg`low`,
  fewLeft: msg`nearly exhausted`,
  certificateInvalid: msg`its certificate is not valid`,
  certificateKeyInvalid: msg`its private key does not match`,
  certificateFailed: msg`no certificate could be created`,
  opensslMissing: msg`no certificate could be created`,
  unsupported: msg`not supported by this version yet`,
  partial: msg`incomplete`,
  none: msg`not available`,
} satisfies Record<string, MessageDescriptor>;
type PartReason = keyof typeof partReasons;

export function isPartName(word: string): word is PartName {
  return Object.hasOwn(partNames, word);
}

function isReason(word: string | undefined): word is PartReason {
  return word !== undefined && Object.hasOwn(partReasons, word);
}

export function partTitle(i18n: I18n, { name, reason, port }: SystemPart): string {
  const who = isPartName(name) ? i18n._(partNames[name]) : name;
  const why = isReason(reason) ? i18n._(partReasons[reason]) : i18n._(msg`not running`);
  if (port === undefined) return i18n._(msg`${who}: ${why}`);
  if (reason === 'portOccupied') return i18n._(msg`${who}: port ${port} is in use`);
  return reason === 'notPermitted' ? i18n._(msg`${who}: port ${port} is not permitted`) : i18n._(msg`${who}: ${why}`);
}

interface PartRemedy {
  readonly text: string;
  /** Message of the operating system, in its language. */
  readonly detail?: string | undefined;
}

/** Undefined for a component or reason of a newer hub, for which only the hub's own message is available. */
export function partRemedy(i18n: I18n, part: SystemPart): PartRemedy | undefined {
  const { name, reason, message } = part;
  if (!isPartName(name) || !isReason(reason)) return undefined;
  if (name === 'ndi') return { text: i18n._(ndiRemedy), detail: reason === 'missing' ? undefined : message };
  const remedy = name === 'ffmpeg' ? ffmpegRemedy(part, reason) : remedyOf(part, name, reason);
  if (remedy === undefined) return undefined;
  const isDetailed = name === 'confinement' || (reason === 'failed' && name !== 'ffmpeg');
  return { text: i18n._(remedy), detail: isDetailed ? message : undefined };
}

function remedyOf(
  { path = '', 'free-mb': free = 0 }: SystemPart,
  name: PartName,
  reason: PartReason,
): MessageDescriptor | undefined {
  switch (reason) {
    case 'portOccupied':
      if (name === 'link') return msg`Stop the program that uses it, or set SIGNALBOX_LINK_PORT to another port.`;
      return name === 'hls'
        ? msg`Stop the program that uses it, or set SIGNALBOX_HLS_PORT to another port.`
        : msg`Stop the program that uses it, or choose another port in the settings.`;
    case 'notPermitted':
      if (name === 'link') return msg`Ports below 1024 need privileges; set SIGNALBOX_LINK_PORT to a higher one.`;
      return name === 'hls'
        ? msg`Ports below 1024 need privileges; set SIGNALBOX_HLS_PORT to a higher one.`
        : msg`Ports below 1024 need privileges; choose a higher one in the settings.`;
    case 'failed':
      return msg`Its port can't be opened. Choose another one in the settings, or resolve the system error:`;
    case 'missing':
      return name === 'srt'
        ? msg`Build it with “make build”; this needs the Debian package libsrt-openssl-dev.`
        : msg`Build it with “make build”.`;
    case 'starting':
      return msg`Streams resume as soon as it runs.`;
    case 'crashed':
      return msg`The hub restarts it automatically. Its log says why it stopped.`;
    case 'failing':
      return msg`It stopped five times within a minute. The hub tries again within half a minute; its log says why it stops.`;
    case 'unitStopped':
      return msg`Start it with “systemctl start signalbox-engine”. If it keeps stopping, its log says why.`;
    case 'noSpace':
      return msg`${path} has only ${free} MB left. Make room on that disk.`;
    case 'memoryLow':
      return msg`Only ${free} MB are available, so streams may stop. End other programs on this machine, or switch off channels.`;
    case 'fewLeft':
      return msg`The media engine refuses new players. Raise LimitNOFILE in the systemd unit of the hub and start it again.`;
    case 'certificateInvalid':
      return msg`Replace ${path} with a valid certificate, or delete it and its key to generate a new pair.`;
    case 'certificateKeyInvalid':
      return msg`Put the private key of ${path} in the same folder, or delete both to generate a new pair.`;
    case 'opensslMissing':
      return msg`Install the Debian package openssl, or put a certificate and its key there yourself: ${path}`;
    case 'certificateFailed':
      return msg`Put a certificate and its key there yourself: ${path}`;
    case 'partial':
    case 'none':
      return msg`An attacker who takes over a child process could reach more than that process needs.`;
    case 'tooOld':
    case 'unsupported':
      return undefined;
    default:
      return reason satisfies never;
  }
}

/** The file may be missing, for another architecture, truncated or not yet supported; the hub's message says which. */
const ndiRemedy = msg`A channel is set to use NDI, which this version does not support yet. Everything else works.`;

function ffmpegRemedy({ version = '?', path = '' }: SystemPart, reason: PartReason): MessageDescriptor | undefined {
  switch (reason) {
    case 'missing':
      return msg`It was not found at “${path}”. Install the Debian package ffmpeg, or set SIGNALBOX_FFMPEG to its path.`;
    case 'failed':
      return msg`“${path}” does not report its version. Reinstall the Debian package ffmpeg, or set SIGNALBOX_FFMPEG to another FFmpeg.`;
    case 'tooOld':
      return msg`Version ${version} lacks what the hub needs. Set SIGNALBOX_FFMPEG to the path of a newer one.`;
    default:
      return undefined;
  }
}

/** What is said of a part of the hub that is missing: its name, why, and what cures it. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { SystemPart } from '../../../daemon/contract/system.ts';
import { type PartName, type PartReason, partNames, partReasons } from './part-words.ts';

const names = {
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
  https: msg`HTTPS`,
} satisfies Record<PartName, MessageDescriptor>;

const reasons = {
  portOccupied: msg`its port is occupied`,
  notPermitted: msg`its port is not permitted`,
  failed: msg`can't be used`,
  missing: msg`not installed`,
  tooOld: msg`too old`,
  starting: msg`starting`,
  crashed: msg`stopped unexpectedly`,
  noSpace: msg`its disk is nearly full`,
  fewLeft: msg`few are left`,
  certificateInvalid: msg`its certificate is not valid`,
  certificateKeyInvalid: msg`its private key does not fit`,
  certificateFailed: msg`no certificate could be made`,
  opensslMissing: msg`no certificate could be made`,
  unsupported: msg`not supported by this version yet`,
  partial: msg`incomplete`,
  none: msg`not possible`,
} satisfies Record<PartReason, MessageDescriptor>;

function isName(word: string): word is PartName {
  return partNames.some((known) => known === word);
}

function isReason(word: string | undefined): word is PartReason {
  return partReasons.some((known) => known === word);
}

export function partTitle(i18n: I18n, { name, reason, port }: SystemPart): string {
  const who = isName(name) ? i18n._(names[name]) : name;
  const why = isReason(reason) ? i18n._(reasons[reason]) : i18n._(msg`not running`);
  if (port === undefined) return i18n._(msg`${who}: ${why}`);
  if (reason === 'portOccupied') return i18n._(msg`${who}: port ${port} is occupied`);
  return reason === 'notPermitted' ? i18n._(msg`${who}: port ${port} is not permitted`) : i18n._(msg`${who}: ${why}`);
}

export interface PartCure {
  readonly text: string;
  /** What the system said, in whatever language. */
  readonly detail?: string | undefined;
}

/** Undefined of a part or reason of a later hub, for which there is only the hub's own line. */
export function partCure(i18n: I18n, part: SystemPart): PartCure | undefined {
  const { name, reason, message } = part;
  if (!isName(name) || !isReason(reason)) return undefined;
  if (name === 'ndi') return { text: i18n._(ndiCure), detail: reason === 'missing' ? undefined : message };
  const cure = name === 'ffmpeg' ? ffmpegCure(part, reason) : cureOf(part, name, reason);
  if (cure === undefined) return undefined;
  const isDetailed = name === 'confinement' || (reason === 'failed' && name !== 'ffmpeg');
  return { text: i18n._(cure), detail: isDetailed ? message : undefined };
}

function cureOf(
  { path = '', 'free-mb': free = 0 }: SystemPart,
  name: PartName,
  reason: PartReason,
): MessageDescriptor | undefined {
  switch (reason) {
    case 'portOccupied':
      return name === 'hls'
        ? msg`Stop the program that uses it, or set SIGNALBOX_HLS_PORT to another port.`
        : msg`Stop the program that uses it, or choose another port in the settings.`;
    case 'notPermitted':
      return name === 'hls'
        ? msg`Ports below 1024 need privileges; set SIGNALBOX_HLS_PORT to a higher one.`
        : msg`Ports below 1024 need privileges; choose a higher one in the settings.`;
    case 'failed':
      return msg`Its port can't be opened. Choose another one in the settings, or mend what the system says:`;
    case 'missing':
      return name === 'srt'
        ? msg`Build it with “make build”; this needs the Debian package libsrt-openssl-dev.`
        : msg`Build it with “make build”.`;
    case 'starting':
      return msg`Streams go on as soon as it runs.`;
    case 'crashed':
      return msg`The hub starts it again by itself. Its log says why it stopped.`;
    case 'noSpace':
      return msg`${path} has only ${free} MB left. Make room on that disk.`;
    case 'fewLeft':
      return msg`The media engine refuses new players. Raise LimitNOFILE in the systemd unit of the hub and start it again.`;
    case 'certificateInvalid':
      return msg`Replace ${path} by a certificate that is valid now, or delete it and its key for a new pair.`;
    case 'certificateKeyInvalid':
      return msg`Put the private key of ${path} beside it, or delete both for a new pair.`;
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

/** Its file may be missing, of another machine, cut short, or not driven yet: the hub's line says which. */
const ndiCure = msg`A channel wants NDI. Install libndi.so.6 from ndi.video, or set NDI_RUNTIME_DIR_V6 to its folder.`;

function ffmpegCure({ version = '?', path = '' }: SystemPart, reason: PartReason): MessageDescriptor | undefined {
  switch (reason) {
    case 'missing':
      return msg`It was not found at “${path}”. Install the Debian package ffmpeg, or set SIGNALBOX_FFMPEG to its path.`;
    case 'failed':
      return msg`“${path}” does not tell its version. Install the Debian package ffmpeg anew, or set SIGNALBOX_FFMPEG to another one.`;
    case 'tooOld':
      return msg`Version ${version} lacks what the hub needs. Set SIGNALBOX_FFMPEG to the path of a newer one.`;
    default:
      return undefined;
  }
}

/** All components that can be missing, and all reason words that engine and hub report for it. */
export const partNames = [
  'engine',
  'rtmp',
  'srt',
  'udp',
  'hls',
  'ffmpeg',
  'ndi',
  'confinement',
  'descriptors',
  'folder',
  'https',
] as const;
export type PartName = (typeof partNames)[number];

export const partReasons = [
  'portOccupied',
  'notPermitted',
  'failed',
  'missing',
  'tooOld',
  'starting',
  'crashed',
  'noSpace',
  'fewLeft',
  'certificateInvalid',
  'certificateKeyInvalid',
  'certificateFailed',
  'opensslMissing',
  'unsupported',
  'partial',
  'none',
] as const;
export type PartReason = (typeof partReasons)[number];

/**
 * Thumbnails in one endless `multipart/x-mixed-replace` response. `GET /api/preview/open` opens it; its header
 * `handle-id` identifies it, as does the parameter of that name in its content type next to `boundary`. `setup` selects
 * the thumbnails. Each part has `image-id`, `content-type` and `content-length`; the next boundary directly follows each
 * image. A slow viewer gets fewer images, always the newest; at most one per second of each.
 */
export const previewOpenPath = '/api/preview/open';
export const handleHeader = 'handle-id';
/** Start of the ids of channels' thumbnails within that stream. */
export const thumbnailPrefix = 'CH';
/** Of a channel, or of one input of a channel with a backup. */
export const previewIdOf = (channelId: number, input?: 'main' | 'backup') =>
  [thumbnailPrefix, channelId, ...(input === undefined ? [] : [input])].join('-');

/** Path of a channel's live stream for the console, authorized by the session instead of the channel's play key. */
export const previewPlaylistPath = (channelId: number) => `/api/preview/live/${channelId}/low.m3u8`;

/** Start of the ids of devices' thumbnails, as published. */
export const devicePreviewPrefix = 'DEV';
export const devicePreviewId = (sn: string) => `${devicePreviewPrefix}-${sn}`;

/**
 * What a client needs to make the calls of the HTTP API. Free of schemas, because the console's first page loads it;
 * `api.ts` adds them.
 */

/** Sent with requests that a page makes on its own; they do not count as use of the session. */
export const backgroundHeader = 'signalbox-background';

export const operationExportPath = '/api/log/export';
export const systemLogExportPath = '/api/syslog/export';

/** The stream of thumbnails, which preview.ts describes, and the header of its response that identifies it. */
export const previewOpenPath = '/api/preview/open';
export const handleHeader = 'handle-id';
/** Id of a channel's thumbnail within that stream. */
export const previewIdOf = (channelId: number) => `CH-${channelId}`;

/** Path of a channel's live stream for the console, authorized by the session instead of the channel's play key. */
export const previewPlaylistPath = (channelId: number) => `/api/preview/live/${channelId}/low.m3u8`;

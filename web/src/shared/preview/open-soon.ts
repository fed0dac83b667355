import { previewPlaylistPath } from '../../../../daemon/contract/preview-stream.ts';

export const loadPreviewDialog = () => import('./PreviewDialog.tsx');

/** Prepares a preview that is about to open: loads the player and makes the hub start segmenting the stream. */
export function openSoon(channelId: number): void {
  loadPreviewDialog().catch(() => undefined);
  fetch(previewPlaylistPath(channelId)).catch(() => undefined);
}

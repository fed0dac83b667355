import { previewPlaylistPath } from '../../../../daemon/contract/preview.ts';

export const loadPreviewDialog = () => import('./PreviewDialog.tsx');

/** Somebody is about to look: the player is loaded, and the hub begins to cut the stream. */
export function openSoon(channelId: number): void {
  loadPreviewDialog().catch(() => undefined);
  fetch(previewPlaylistPath(channelId)).catch(() => undefined);
}

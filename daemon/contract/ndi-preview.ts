/**
 * Ids of the thumbnails of NDI sources in a preview stream (preview-stream.ts): `NDI-` and the name of the source,
 * `MACHINE (source)`, as UTF-8 in base64url without padding.
 */
export const ndiPreviewPrefix = 'NDI';

export function ndiPreviewId(source: string): string {
  const bytes = new TextEncoder().encode(source);
  const text = btoa(String.fromCharCode(...bytes));
  return `${ndiPreviewPrefix}-${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

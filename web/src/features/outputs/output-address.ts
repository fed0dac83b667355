/** Address of a server of the hub as seen from this browser; the hub only knows that it listens on all addresses. */
export function reachableAddress(url: string, hub: string): string {
  return url.replace(/^rtsp:\/\/0\.0\.0\.0(?=[:/])/, `rtsp://${hub}`);
}

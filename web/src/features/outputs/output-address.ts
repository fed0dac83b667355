/** Where a server of the hub is found from this browser: the hub itself only knows that it listens everywhere. */
export function reachableAddress(url: string, hub: string): string {
  return url.replace(/^rtsp:\/\/0\.0\.0\.0(?=[:/])/, `rtsp://${hub}`);
}

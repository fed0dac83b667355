/** Settings may contain port 0 (any free port). Code that shows or compares ports uses the open ports instead. */
import type { StoredSettings } from './store.ts';

/** A port is 0 until it is open. */
export interface OpenPorts {
  readonly rtmp: number;
  readonly srt: number;
  readonly http: number;
  readonly https: number | null;
}

export function withOpenPorts({ rtmp, srt, web, ...rest }: StoredSettings, open: OpenPorts): StoredSettings {
  return {
    ...rest,
    rtmp: { port: rtmp.port || open.rtmp },
    srt: { ...srt, port: srt.port || open.srt },
    web: { ...web, httpPort: web.httpPort || open.http, httpsPort: web.httpsPort || (open.https ?? 0) },
  };
}

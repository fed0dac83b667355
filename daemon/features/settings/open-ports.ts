/** Settings may name port 0, any free one; everything that shows or compares ports goes by those that are open then. */
import type { StoredSettings } from './store.ts';

/** 0: not open yet. */
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

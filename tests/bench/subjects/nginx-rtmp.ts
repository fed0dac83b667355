/** nginx with its RTMP module, as Debian packages it: one worker, one live application, no access log. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { leasePort } from '../../support/ports.ts';
import { startChild } from '../child.ts';
import { processTree } from '../proc.ts';
import { makeTempFolder, removeTempFolder } from '../temp-folder.ts';
import { untilListening } from '../until-listening.ts';
import type { Relay, Subject } from './subject.ts';

export const nginxRtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so';

/** Not on a disk: the test measures segments, not storage. */
export const memoryFolder = '/dev/shm';

export const nginxRtmp: Subject = {
  id: 'nginx-rtmp',
  label: 'nginx-rtmp',
  open: async (): Promise<Relay> => {
    const folder = makeTempFolder('nginx');
    const port = leasePort();
    const url = `rtmp://127.0.0.1:${port}/live/bench`;
    return { ingest: { url }, egress: { url }, ...(await openNginx(folder, port, rtmpBlock(port, ''))) };
  },
};

/** Segments of 2 s in memory, served by the same nginx. */
export const nginxHls: Subject = {
  id: 'nginx-hls',
  label: 'nginx-rtmp HLS',
  open: async (): Promise<Relay> => {
    const folder = makeTempFolder('nginx', memoryFolder);
    // Its worker runs as another user when root starts nginx.
    chmodSync(folder, 0o777);
    const [port, http] = [leasePort(), leasePort()];
    const { hls, server } = hlsBlocks(folder, http);
    return {
      ingest: { url: `rtmp://127.0.0.1:${port}/live/bench` },
      egress: { url: `hls://127.0.0.1:${http}/bench.m3u8` },
      ...(await openNginx(folder, port, `${rtmpBlock(port, hls)}${server}`)),
    };
  },
};

export async function openNginx(
  folder: string,
  port: number,
  blocks: string,
): Promise<Pick<Relay, 'processes' | 'close'>> {
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configText(folder, blocks));
  const nginx = startChild('nginx', ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', config]);
  await untilListening(port, nginx);
  return {
    processes: () => ({ nginx: processTree(nginx.pid) }),
    close: async () => {
      await nginx.stop();
      removeTempFolder(folder);
    },
  };
}

function configText(folder: string, blocks: string): string {
  return `load_module ${nginxRtmpModule};
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
${blocks}`;
}

export function rtmpBlock(port: number, more: string): string {
  return `rtmp {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    chunk_size 4096;
    application live { live on; ${more} }
  }
}
`;
}

/** The configuration that creates segments, and the one that serves them. */
export function hlsBlocks(folder: string, http: number): { readonly hls: string; readonly server: string } {
  return {
    hls: `hls on; hls_path ${folder}; hls_fragment 2s; hls_playlist_length 12s;`,
    server: `http {
  access_log off;
  types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
  sendfile on; tcp_nopush on;
  server { listen 127.0.0.1:${http}; root ${folder}; }
}
`,
  };
}

/** nginx with its RTMP module, as Debian packages it: one worker, one live application, no access log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../child.ts';
import { freePorts } from '../ports.ts';
import { processTree } from '../proc.ts';
import { makeTempFolder, removeTempFolder } from '../temp-folder.ts';
import { untilListening } from '../until-listening.ts';
import type { Relay, Subject } from './subject.ts';

export const nginxRtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so';

export const nginxRtmp: Subject = {
  id: 'nginx-rtmp',
  label: 'nginx-rtmp',
  open: async (): Promise<Relay> => {
    const folder = makeTempFolder('nginx');
    const port = await freePorts(1);
    const config = join(folder, 'nginx.conf');
    writeFileSync(config, configText(folder, port));
    const nginx = startChild('nginx', ['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', config]);
    await untilListening(port, nginx);
    const url = `rtmp://127.0.0.1:${port}/live/bench`;
    return {
      ingest: { url },
      egress: { url },
      processes: () => ({ nginx: processTree(nginx.pid) }),
      close: async () => {
        await nginx.stop();
        removeTempFolder(folder);
      },
    };
  },
};

function configText(folder: string, port: number): string {
  return `load_module ${nginxRtmpModule};
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
rtmp {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    chunk_size 4096;
    application live { live on; }
  }
}
`;
}

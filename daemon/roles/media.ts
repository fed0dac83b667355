/** Runs the media engine. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../lib/config-error.ts';
import { installLayout } from '../lib/install-layout.ts';
import { type LogLevel, logLevels } from '../lib/log.ts';
import { engineFiles } from '../media/engine-command.ts';
import { noteStarted } from '../process/lasting-files.ts';
import type { Role } from './role.ts';

export const role: Role = {
  help: `The hub starts it by itself, unless SIGNALBOX_ENGINE=unit: then a service does, with --unit.

Options:
  --data-dir DIR          data folder of the hub
  --ffmpeg PROGRAM        default: ffmpeg
  --rtmp-endpoint PROGRAM default: the installed one
  --srt-endpoint PROGRAM  default: the installed one
  --udp-endpoint PROGRAM  default: the installed one
  --unit                  write the process id into the data folder, where the hub looks for it
`,
  run: runMedia,
};

async function runMedia(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      'data-dir': { type: 'string' },
      ffmpeg: { type: 'string', default: 'ffmpeg' },
      'rtmp-endpoint': { type: 'string', default: installLayout.rtmpEndpoint },
      'srt-endpoint': { type: 'string', default: installLayout.srtEndpoint },
      'udp-endpoint': { type: 'string', default: installLayout.udpEndpoint },
      unit: { type: 'boolean', default: false },
    },
  });
  const dataDir = values['data-dir'];
  if (dataDir === undefined) throw new ConfigError('media needs --data-dir');
  const level: LogLevel = logLevels.find((name) => name === process.env.SIGNALBOX_LOG) ?? 'info';
  if (values.unit) noteStarted(engineFiles(resolve(dataDir)), process.pid);
  const { runEngine } = await import('../engine/engine.ts');
  return runEngine({
    dataDir: resolve(dataDir),
    ffmpeg: values.ffmpeg,
    rtmpEndpoint: values['rtmp-endpoint'],
    srtEndpoint: values['srt-endpoint'],
    udpEndpoint: values['udp-endpoint'],
    logLevel: level,
  });
}

/** The programs that the bench compares with, and their Debian packages. */
import { existsSync } from 'node:fs';
import { type RowId, rowIds } from './options.ts';
import { nginxRtmpModule } from './subjects/nginx-rtmp.ts';

interface Requirement {
  readonly what: string;
  readonly package: string;
  readonly rows: readonly RowId[];
  readonly isThere: () => boolean;
}

const hasProgram = (name: string) => (): boolean => Bun.which(name) !== null;
const measured: readonly RowId[] = rowIds.filter(
  (id) => !['idle', 'log', 'upload', 'link', 'fleet', 'firewall', 'ndi'].includes(id),
);
const withNginx: readonly RowId[] = ['rtmp', 'hls', 'mixed', 'join', 'calm', 'frozen', 'upload', 'link'];

const requirements: readonly Requirement[] = [
  { what: 'ffmpeg', package: 'ffmpeg', rows: measured, isThere: hasProgram('ffmpeg') },
  { what: 'cc', package: 'gcc', rows: [...measured, 'ndi'], isThere: hasProgram('cc') },
  { what: 'pkg-config', package: 'pkg-config', rows: measured, isThere: hasProgram('pkg-config') },
  { what: 'srt.h', package: 'libsrt-openssl-dev', rows: measured, isThere: () => existsSync('/usr/include/srt/srt.h') },
  { what: 'setpriv', package: 'util-linux', rows: rowIds, isThere: hasProgram('setpriv') },
  { what: 'nginx', package: 'nginx', rows: withNginx, isThere: hasProgram('nginx') },
  {
    what: 'the RTMP module of nginx',
    package: 'libnginx-mod-rtmp',
    rows: withNginx,
    isThere: () => existsSync(nginxRtmpModule),
  },
  {
    what: 'gst-launch-1.0',
    package: 'gstreamer1.0-tools gstreamer1.0-plugins-good gstreamer1.0-plugins-bad',
    rows: ['udp', 'srt'],
    isThere: hasProgram('gst-launch-1.0'),
  },
  { what: 'curl', package: 'curl', rows: ['upload', 'link'], isThere: hasProgram('curl') },
  { what: 'socat', package: 'socat', rows: ['link'], isThere: hasProgram('socat') },
  { what: 'wrk', package: 'wrk', rows: ['link', 'fleet'], isThere: hasProgram('wrk') },
  { what: 'nft', package: 'nftables', rows: ['firewall'], isThere: () => existsSync('/usr/sbin/nft') },
  { what: 'srt-live-transmit', package: 'srt-tools', rows: ['srt', 'jump'], isThere: hasProgram('srt-live-transmit') },
];

/** Returns a line that lists what to install, or undefined. */
export function missingParts(rows: readonly RowId[]): string | undefined {
  const missing = requirements.filter((each) => each.rows.some((row) => rows.includes(row)) && !each.isThere());
  if (missing.length === 0) return undefined;
  const packages = [...new Set(missing.map((each) => each.package))].join(' ');
  const list = missing.map((each) => each.what).join(', ');
  return `missing: ${list}; "make bench" installs them, or: apt-get install --no-install-recommends ${packages}`;
}

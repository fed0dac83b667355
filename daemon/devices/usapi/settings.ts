/** What the driver needs of `get-settings`. The rest is not kept: it contains passwords of Wi-Fi networks and servers. */
import type { Answer } from '../answer.ts';
import { clipped, publicAddress } from '../units.ts';

/** Types of stream servers. */
export const serverTypes = { rtmp: 0, srtCaller: 120, srtListener: 121 } as const;

const protocols: Readonly<Record<number, string>> = {
  0: 'RTMP',
  1: 'Twitch',
  2: 'YouTube',
  3: 'Facebook',
  4: 'Wowza RTMP',
  100: 'RTSP',
  120: 'SRT caller',
  121: 'SRT listener',
  122: 'Wowza SRT',
  130: 'NDI HX',
  131: 'HLS',
  132: 'TS over UDP',
  133: 'TS over RTP',
  140: 'TVU',
  143: 'YouTube HLS',
  144: 'ZIXI',
  150: 'RIST caller',
  151: 'RIST listener',
};

export function protocolOf(type: number | undefined): string {
  return (type === undefined ? undefined : protocols[type]) ?? `type ${type ?? 'unknown'}`;
}

/** An entry of the device's list of stream servers, with its fields as the device states them. */
export interface StreamServer {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  readonly isUsed: boolean;
  readonly fields: Answer;
}

export interface UsapiSettings {
  readonly name: string | undefined;
  readonly servers: readonly StreamServer[];
  readonly mainCodec: string | undefined;
  readonly subCodec: string | undefined;
  readonly sampleRate: number | undefined;
}

const codecs = ['H.264', 'H.265'];

export function settingsOf(answer: Answer): UsapiSettings {
  const codecOf = (stream: string) => codecs[answer.part(stream).number('codec') ?? -1];
  return {
    name: answer.text('name'),
    servers: answer.list('stream-server').flatMap(serverOf),
    mainCodec: codecOf('main-stream'),
    subCodec: codecOf('sub-stream'),
    sampleRate: answer.part('audio').number('sample-rate'),
  };
}

function serverOf(fields: Answer): StreamServer[] {
  const [id, type] = [fields.number('id'), fields.number('type')];
  if (id === undefined || type === undefined) return [];
  return [{ id, type, name: fields.text('name') ?? `${id}`, isUsed: fields.flag('is-use') ?? false, fields }];
}

/** Where a server is, without its key. */
export function addressOf({ type, fields }: StreamServer): string | undefined {
  const [url, port] = [fields.text('url'), fields.number('port')];
  if (url === undefined) return undefined;
  // With the key in a field of its own, the URL ends with the application.
  if (type === serverTypes.rtmp) return publicAddress(fields.has('key') && fields.text('key') ? `${url}/key` : url);
  if (url.includes('://')) return publicAddress(url);
  return clipped(port === undefined ? url : `${type === serverTypes.srtCaller ? 'srt://' : ''}${url}:${port}`);
}

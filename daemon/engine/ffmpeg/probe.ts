/**
 * Contents of a transport stream, as reported by ffprobe. We feed it the bytes, so neither an address nor a password
 * appears on its command line.
 */
import type { MediaStatus } from '../../media/protocol/reported.ts';
import { confinedFfmpeg, stopChild } from './process.ts';

/** Time span of frames that reveals the frame rate if the codec does not contain it. */
const lookUs = 1_500_000;
const maxAnswerBytes = 256 << 10;
const maxUnreadBytes = 16 << 20;
const fields = 'codec_type,codec_name,width,height,field_order,avg_frame_rate,r_frame_rate,sample_rate,channels';
/** The values of `field_order` that mean interlaced pictures. */
const fieldOrders = new Set(['tt', 'bb', 'tb', 'bt']);

export type StreamProbe = ReturnType<typeof startStreamProbe>;

interface FoundStream {
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly field_order?: string;
  readonly avg_frame_rate?: string;
  readonly r_frame_rate?: string;
  readonly sample_rate?: string;
  readonly channels?: number;
}

export function startStreamProbe(binary: string) {
  const child = Bun.spawn(
    confinedFfmpeg(
      [
        ...[binary, '-v', 'quiet', '-f', 'mpegts', '-probesize', '20000000', '-analyzeduration', String(lookUs)],
        ...['-of', 'json', '-show_entries', `stream=${fields}`, '-i', 'pipe:0'],
      ],
      {},
    ),
    { stdin: 'pipe', stdout: 'pipe', stderr: 'ignore', env: { PATH: process.env.PATH ?? '' } },
  );
  let isOver = false;
  let unread = 0;
  const result = answerOf(child.stdout).then((text) => {
    isOver = true;
    return text === undefined ? undefined : readAnswer(text);
  });
  return {
    /** Undefined if ffprobe found nothing in its input. */
    result,
    /** Does not copy the bytes. Returns false when ffprobe has seen enough. */
    write(bytes: Uint8Array): boolean {
      if (isOver || unread > maxUnreadBytes) return false;
      unread += bytes.length;
      child.stdin.write(bytes);
      const flushed = async () => {
        await child.stdin.flush();
        unread -= bytes.length;
      };
      flushed().catch(() => {
        // ffprobe has seen enough and closed its input.
        isOver = true;
      });
      return true;
    },
    /** Ends ffprobe; the result resolves immediately. */
    close(): void {
      isOver = true;
      void stopChild(child);
    },
  };
}

async function answerOf(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > maxAnswerBytes) return undefined;
  }
  return text;
}

function readAnswer(text: string): MediaStatus | undefined {
  const streams = parse(text);
  const video = streams.find((one) => one.codec_type === 'video' && one.codec_name);
  const audio = streams.find((one) => one.codec_type === 'audio' && one.codec_name);
  if (!video && !audio) return undefined;
  const fps = rate(video?.avg_frame_rate) ?? rate(video?.r_frame_rate);
  const sampleRate = Number(audio?.sample_rate);
  return {
    container: 'ts',
    ...(video && {
      video: {
        codec: video.codec_name ?? '',
        ...(video.width && video.height && { width: video.width, height: video.height }),
        ...(fps && { fps }),
        ...(fieldOrders.has(video.field_order ?? '') && { interlaced: true as const }),
      },
    }),
    ...(audio && {
      audio: {
        codec: audio.codec_name ?? '',
        ...(sampleRate > 0 && { sampleRate }),
        ...(audio.channels && { channels: audio.channels }),
      },
    }),
  };
}

function parse(text: string): readonly FoundStream[] {
  try {
    const { streams } = JSON.parse(text) as { streams?: FoundStream[] };
    return streams ?? [];
  } catch {
    return [];
  }
}

/** `30000/1001` */
function rate(text: string | undefined): number | undefined {
  const [over = 0, under = 0] = (text ?? '').split('/').map(Number);
  const value = under > 0 ? Math.round((over / under) * 100) / 100 : 0;
  return value > 0 && value <= 1000 ? value : undefined;
}

/** How FFmpeg encodes the frames of an NDI source, and decodes a channel for one. */
import { rateOf } from '../../ndi/media/rate.ts';

/** Width and height are even. */
export interface SourceFormat {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
}

/** Bits of the encoded video per pixel and frame: 6 Mbit/s for 1080p30. */
const bitsPerPixel = 0.1;
const videoBits = { least: 1_000_000, most: 20_000_000 };
const audioBits = 160_000;
const secondsPerKeyframe = 2;

/** Bits per second. */
export function videoRate({ width, height, framesPerSecond }: SourceFormat): number {
  const wanted = Math.round(width * height * framesPerSecond * bitsPerPixel);
  return Math.min(videoBits.most, Math.max(videoBits.least, wanted));
}

/** Standard input: raw frames in Matroska. Standard output: a transport stream of H.264 and AAC. */
export function encoderCommand(binary: string, source: SourceFormat): string[] {
  const { numerator, denominator } = rateOf(source.framesPerSecond);
  const bits = `${videoRate(source)}`;
  const keyframes = `${Math.max(1, Math.round(source.framesPerSecond * secondsPerKeyframe))}`;
  return [
    ...[binary, '-nostdin', '-hide_banner', '-v', 'error', '-fflags', 'nobuffer', '-analyzeduration', '0'],
    ...['-f', 'matroska', '-i', 'pipe:0', '-map', '0:v:0', '-map', '0:a:0?'],
    // The encoder needs a constant frame rate.
    ...['-vf', `fps=${numerator}/${denominator},format=yuv420p`],
    ...['-c:v', 'libx264', '-preset', 'superfast', '-tune', 'zerolatency', '-profile:v', 'high', '-bf', '0'],
    ...['-g', keyframes, '-b:v', bits, '-maxrate', bits, '-bufsize', bits],
    // Audio follows its timestamps: FFmpeg stretches it to correct small deviations, and fills gaps with silence.
    ...['-af', 'aresample=48000:async=1000:min_hard_comp=0.04', '-ac', '2', '-c:a', 'aac', '-b:a', `${audioBits}`],
    // Video does not wait for audio that has stopped.
    ...['-max_interleave_delta', '300000', '-muxdelay', '0', '-muxpreload', '0', '-flush_packets', '1'],
    ...['-f', 'mpegts', 'pipe:1'],
  ];
}

/** Standard input: a transport stream. Standard output: raw frames in Matroska. */
export function decoderCommand(binary: string): string[] {
  return [
    ...[binary, '-nostdin', '-hide_banner', '-v', 'error', '-analyzeduration', '1500000'],
    ...['-probesize', '3000000', '-f', 'mpegts', '-i', 'pipe:0', '-map', '0:v:0?', '-map', '0:a:0?'],
    // Only interlaced frames are deinterlaced. In NDI, two pixels of a line share their color, so the width is even.
    ...['-vf', 'yadif=deint=interlaced,crop=trunc(iw/2)*2:ih', '-c:v', 'rawvideo', '-pix_fmt', 'uyvy422'],
    ...['-af', 'aresample=48000:async=1000:min_hard_comp=0.04', '-c:a', 'pcm_f32le'],
    ...['-max_interleave_delta', '300000', '-flush_packets', '1', '-live', '1', '-f', 'matroska', 'pipe:1'],
  ];
}

/**
 * Pictures and sound whose synchronization can be measured: once per second, the picture flashes while a tone sounds.
 * Otherwise the picture is dark on the left and bright on the right.
 */
import type { Sender } from '../../../native/ndi/sender.ts';

export const clap = { width: 320, height: 180, framesPerSecond: 25, dark: 60, bright: 160, flash: 230 } as const;
const sampleRate = 48_000;
const samples = sampleRate / clap.framesPerSecond;
const framesPerFlash = 3;

interface Size {
  readonly width: number;
  readonly height: number;
}

function picture({ width, height }: Size, isFlash: boolean): Uint8Array<ArrayBuffer> {
  const { dark, bright, flash } = clap;
  // Pairs of pixels share their color.
  const stride = Math.ceil(width / 2) * 4;
  const data = new Uint8Array(new ArrayBuffer(stride * height)).fill(128);
  for (let at = 1; at < data.length; at += 2) {
    const x = (at % stride) >> 1;
    data[at] = isFlash ? flash : x < width / 2 ? dark : bright;
  }
  return data;
}

function sound(isTone: boolean): Uint8Array<ArrayBuffer> {
  const planes = new Float32Array(samples * 2);
  for (let at = 0; isTone && at < planes.length; at++) planes[at] = 0.5 * Math.sin((2 * Math.PI * at) / 48);
  return new Uint8Array(planes.buffer);
}

/** Returns a function that ends it. */
export function sendClapper(sender: Pick<Sender, 'video' | 'audio'>, size: Size): () => void {
  const { width, height } = size;
  const { framesPerSecond } = clap;
  const [plain, flash, silence, tone] = [picture(size, false), picture(size, true), sound(false), sound(true)];
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - began) * framesPerSecond) / 1000; sent++) {
      const isFlash = sent % framesPerSecond < framesPerFlash;
      const rate = { numerator: framesPerSecond, denominator: 1 };
      sender.audio({ sampleRate, channels: 2, samples, data: isFlash ? tone : silence });
      sender.video({ width, height, rate, data: isFlash ? flash : plain });
    }
  }, 10);
  return () => clearInterval(timer);
}

/** FFmpeg input options of the same pictures and sound. */
export function clapperInput(): string[] {
  const { width, height, framesPerSecond, dark, bright, flash } = clap;
  const isFlash = `lt(mod(T,1),${framesPerFlash / framesPerSecond})`;
  const luma = `if(${isFlash},${flash},if(lt(X,W/2),${dark},${bright}))`;
  const pictures = `color=size=${width}x${height}:rate=${framesPerSecond},format=yuv420p,geq=lum='${luma}':cb=128:cr=128`;
  const tone = `aevalsrc='if(lt(mod(t,1),${framesPerFlash / framesPerSecond}),0.5*sin(2*PI*1000*t),0)':s=${sampleRate}`;
  return ['-re', '-f', 'lavfi', '-i', pictures, '-re', '-f', 'lavfi', '-i', tone];
}

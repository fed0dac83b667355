/** Routes the audio of a video element through meters to the speakers; it is also measured while muted. */
import { createLevel, type Level, peakDb } from './audio-level.ts';

export interface Sound {
  /** Current levels of the first channels; undefined while the browser holds the sound back. */
  levels(count: number): readonly Level[] | undefined;
  setHeard(isHeard: boolean): void;
  /** Browsers allow sound only after a user interaction with the page. */
  wake(): void;
  close(): void;
}

/** Browsers decode no more than 7.1. */
export const maxChannels = 8;

export function openSound(video: HTMLVideoElement): Sound {
  const context = new AudioContext();
  const source = context.createMediaElementSource(video);
  const splitter = context.createChannelSplitter(maxChannels);
  const volume = context.createGain();
  volume.gain.value = 0;
  source.connect(volume).connect(context.destination);
  source.connect(splitter);
  const meters = Array.from({ length: maxChannels }, (_, channel) => {
    const analyser = context.createAnalyser();
    analyser.fftSize = 2048;
    splitter.connect(analyser, channel);
    const samples = new Float32Array(analyser.fftSize);
    const level = createLevel();
    return () => {
      analyser.getFloatTimeDomainData(samples);
      return level(peakDb(samples), performance.now());
    };
  });
  return {
    levels: (count) => (context.state === 'running' ? meters.slice(0, count).map((meter) => meter()) : undefined),
    setHeard(isHeard) {
      volume.gain.value = isHeard ? 1 : 0;
    },
    wake: () => void context.resume(),
    close: () => void context.close(),
  };
}

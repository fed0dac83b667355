/** A stream with promises instead of callbacks. */
import type { ByteStream } from './byte-stream.ts';
import { type StreamCode, StreamError } from './codes.ts';

export interface Stream {
  /** Resolves with the next bytes, or undefined at the end of the peer's data. Rejects with StreamError after a reset. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when all bytes are queued. Rejects with StreamError if the stream ends before. */
  write(bytes: Uint8Array): Promise<void>;
  /** No more data follows; the peer may still send. */
  end(): void;
  reset(code: StreamCode): void;
  /** Resolves when both directions have ended: with the code after a reset. */
  readonly closed: Promise<StreamCode | undefined>;
}

/** Takes over the stream. One read and one write may be in progress at a time. */
export function duplexOf(stream: ByteStream): Stream {
  const closed = Promise.withResolvers<StreamCode | undefined>();
  let onReadable: (() => void) | undefined;
  let onWritable: (() => void) | undefined;
  let code: StreamCode | undefined;
  stream.attach({
    readable: () => onReadable?.(),
    writable: () => onWritable?.(),
    closed(with_) {
      code = with_;
      closed.resolve(with_);
      onReadable?.();
      onWritable?.();
    },
  });
  const fault = () => new StreamError(code ?? 'cancelled');
  return {
    async read() {
      for (;;) {
        const bytes = stream.read();
        if (bytes !== undefined) return bytes;
        if (code !== undefined) throw fault();
        if (stream.isAtEnd || stream.isClosed) return undefined;
        await new Promise<void>((resolve) => {
          onReadable = resolve;
        });
        onReadable = undefined;
      }
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        if (stream.isClosed || stream.isEnding) throw fault();
        at += stream.write(bytes.subarray(at));
        if (at === bytes.length) return;
        await new Promise<void>((resolve) => {
          onWritable = resolve;
        });
        onWritable = undefined;
      }
    },
    end: () => stream.end(),
    reset: (with_) => stream.reset(with_),
    closed: closed.promise,
  };
}

/** A stream with promises instead of callbacks. */
import type { ByteStream } from './byte-stream.ts';
import { type StreamCode, StreamError } from './codes.ts';

export interface Stream {
  /** Resolves with the next bytes, or undefined at the end of the peer's data. Rejects after a reset. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when all bytes are queued. Rejects if the stream ends before. */
  write(bytes: Uint8Array): Promise<void>;
  /** No more data follows; the peer may still send. */
  end(): void;
  reset(code: StreamCode): void;
  /** Resolves when both directions have ended: with the code after a reset. */
  readonly closed: Promise<StreamCode | undefined>;
}

const written = Promise.resolve();

/**
 * Takes over the stream. One read and one write may be in progress at a time. `faultOf` makes the error of a stream that
 * was reset with this code.
 */
export function duplexOf(
  stream: ByteStream,
  faultOf: (code: StreamCode) => Error = (code) => new StreamError(code),
): Stream {
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
  const fault = () => faultOf(code ?? 'cancelled');

  async function writeFrom(bytes: Uint8Array, from: number): Promise<void> {
    for (let at = from; at < bytes.length; ) {
      await new Promise<void>((resolve) => {
        onWritable = resolve;
      });
      onWritable = undefined;
      if (stream.isClosed || stream.isEnding) throw fault();
      at += stream.write(bytes.subarray(at));
    }
  }

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
    write(bytes) {
      if (bytes.length === 0) return written;
      if (stream.isClosed || stream.isEnding) return Promise.reject(fault());
      const taken = stream.write(bytes);
      return taken === bytes.length ? written : writeFrom(bytes, taken);
    },
    end: () => stream.end(),
    reset: (with_) => stream.reset(with_),
    closed: closed.promise,
  };
}

import type { Session } from './route.ts';

export interface NumberedPicture {
  readonly key: string;
  /** Grows with every picture of the source. */
  readonly number: number;
  readonly jpeg: Uint8Array;
}

/** The pictures that a noun has for preview streams. Their ids are `<prefix>-<key>`, such as `CH-100001`. */
export interface PictureSource {
  readonly prefix: string;
  /** Whether the session may see this picture now. False if the object does not exist. */
  canSee(session: Session, key: string): boolean;
  /** Returns the newest pictures of these objects that have a higher number. Called every 400 ms while they are viewed. */
  newer(keys: readonly string[], after: number): Promise<readonly NumberedPicture[]>;
}

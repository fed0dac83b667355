import { Fragment } from 'react';

/** Between the parts of an address, never in the middle of a name or number. */
const breaks = /(?<=[/?&,])(?=[^/?&,\s])/;

/** An address, or a sentence that holds one; where it doesn't fit it is broken between its parts. */
export function Address({ text }: { text: string }) {
  return (
    <span title={text}>
      {text.split(breaks).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing but their place
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

import { Fragment } from 'react';

/** Break positions between the parts of an address, never within a name or number. */
const breaks = /(?<=[/?&,])(?=[^/?&,\s])/;

/** An address, or a sentence that contains one; wraps only between the parts of the address. */
export function Address({ text }: { text: string }) {
  return (
    <span title={text}>
      {text.split(breaks).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no key except their position
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

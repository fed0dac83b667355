/** Apart from the schemas, which processes that only need this rule do not load. */

/** Text that no program takes for more than one line. */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

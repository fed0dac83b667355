/** Size classes of the screen, as media queries. */
export const phone = '(max-width: 767px)';

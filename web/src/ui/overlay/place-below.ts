const gapPx = 4;
const edgePx = 8;

/** Places a popover below its button, right-aligned, or above it if there is no room below. */
export function placeBelow(popover: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const hasRoomBelow = from.bottom + gapPx + height <= window.innerHeight - edgePx;
  const top = hasRoomBelow ? from.bottom + gapPx : Math.max(edgePx, from.top - gapPx - height);
  const left = Math.min(Math.max(edgePx, from.right - width), window.innerWidth - width - edgePx);
  popover.style.top = `${Math.round(top)}px`;
  popover.style.left = `${Math.round(left)}px`;
}

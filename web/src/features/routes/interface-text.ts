/** Names of the interfaces that routes use. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

const texts: Readonly<Record<string, MessageDescriptor>> = {
  eth1: msg`ETH1`,
  eth2: msg`ETH2`,
  wifi: msg`Wi-Fi`,
  usb: msg`USB network`,
};

export function interfaceText(translate: (text: MessageDescriptor) => string, id: string): string {
  const text = texts[id];
  return text === undefined ? id : translate(text);
}

import { useSuspenseQuery } from '@tanstack/react-query';
import { UsbPanel } from './UsbPanel.tsx';
import { WifiPanel } from './WifiPanel.tsx';
import { wifiQuery } from './wifi-calls.ts';

/** What the page shows below the ports, unless nothing is known of it: the page then says what is missing. */
export default function WifiPart() {
  const { missing } = useSuspenseQuery(wifiQuery).data;
  if (missing.some(({ part }) => part !== 'wpaSupplicant')) return null;
  return (
    <>
      <WifiPanel />
      <UsbPanel />
    </>
  );
}

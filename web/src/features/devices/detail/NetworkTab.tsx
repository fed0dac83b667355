import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { DeviceFacts } from '../../../../../daemon/contract/device-facts.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { NoValue, Quantity } from '../../../ui/data/Quantity.tsx';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { RateCell } from '../device-cells.tsx';
import { NothingKnown } from './NothingKnown.tsx';

type Port = NonNullable<DeviceFacts['ethernet']>;

export function NetworkTab({ facts }: { facts: DeviceFacts | undefined }) {
  const ports: readonly (readonly [string, ReactNode, Port | undefined])[] = [
    ['ethernet', <Trans key="ethernet">Ethernet</Trans>, facts?.ethernet],
    ['wifi', <Trans key="wifi">Wi-Fi</Trans>, facts?.wifi],
    ['usb', <Trans key="usb">Network over USB</Trans>, facts?.usb],
  ];
  const known = ports.filter(([, , port]) => port !== undefined);
  if (known.length === 0) return <NothingKnown />;
  return known.map(
    ([key, title, port]) =>
      port && (
        <Panel key={key} title={title}>
          <PortFacts port={port} />
        </Panel>
      ),
  );
}

function PortFacts({ port }: { port: Port }) {
  const { t } = useLingui();
  const format = useFormat();
  const { comma } = format;
  const speed = port['link-mbps'];
  const facts = [
    { name: t`Link`, value: port.up === undefined ? undefined : port.up ? t`Up` : t`Down` },
    {
      name: t`Speed`,
      value: speed === undefined ? undefined : <Quantity amount={{ value: format.number(speed), unit: 'Mb/s' }} />,
    },
    { name: t`IP address`, value: port.address },
    { name: t`Subnet mask`, value: port.mask },
    { name: t`Gateway`, value: port.gateway },
    { name: t`DNS`, value: port.dns?.join(comma) },
    { name: t`DHCP`, value: port.dhcp === undefined ? undefined : port.dhcp ? t`On` : t`Off` },
    { name: t`MAC address`, value: port.mac },
    { name: t`Received`, value: <RateCell kbps={port['rx-kbps']} /> },
    { name: t`Sent`, value: <RateCell kbps={port['tx-kbps']} /> },
  ];
  return <Facts facts={facts.map(({ name, value }) => ({ name, value: value ?? <NoValue /> }))} />;
}
